// The rows of bugs.txt with the paper's figures for them.
#pragma once

#include <string>
#include <vector>

namespace ricercar::bench {

struct PlantedBug {
  std::string row;
  std::string program;
  std::vector<std::string> arguments;
  std::string kind;
  std::string paper_name;
  int paper_table = 0;
  std::vector<std::string> paper;  // runs/seconds, as paper.txt has them

  int workers() const { return std::stoi(arguments.at(1)); }
};

std::vector<PlantedBug> read_bugs(const std::string& suite);

}  // namespace ricercar::bench
