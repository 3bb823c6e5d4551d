#include "suites/hapset/planted_bugs.h"

#include <sstream>
#include <stdexcept>

#include "suites/search.h"

namespace ricercar::bench {
namespace {

constexpr std::size_t paper_figures = 7;

PlantedBug read_bug(const std::string& line, const std::string& paper) {
  PlantedBug bug;
  std::string path;
  std::string name;
  std::string workers;
  std::istringstream(line) >> bug.row >> path >> name >> workers >> bug.kind;
  bug.program = path.substr(path.find('/') + 1);
  bug.arguments = {name};
  if (workers != "-") bug.arguments.push_back(workers);
  std::istringstream words(paper);
  std::string row;
  words >> row >> bug.paper_name >> bug.paper_table;
  for (std::string word; words >> word;) bug.paper.push_back(word);
  if (row != bug.row || bug.paper.size() != paper_figures) {
    throw std::runtime_error("paper.txt does not follow bugs.txt: " + paper);
  }
  return bug;
}

}  // namespace

std::vector<PlantedBug> read_bugs(const std::string& suite) {
  const std::vector<std::string> lines = lines_of(suite + "/bugs.txt");
  const std::vector<std::string> paper = lines_of(suite + "/paper.txt");
  if (lines.size() != paper.size()) throw std::runtime_error("bugs.txt and paper.txt differ");
  std::vector<PlantedBug> bugs;
  for (std::size_t i = 0; i < lines.size(); ++i) bugs.push_back(read_bug(lines[i], paper[i]));
  return bugs;
}

}  // namespace ricercar::bench
