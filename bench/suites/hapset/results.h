// What searches for one bug came to: each is run once, two at a time, and kept in a file.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "suites/search.h"

namespace ricercar::bench {

struct Search {
  std::string title;
  std::string strategy;
  int paper = -1;  // which of the paper's figures in a line of paper.txt; -1: there is none
  int seeds = 1;   // searches with the seeds 1, 2, ...: the median counts
};

// A program with a bug.
struct Subject {
  std::string name;
  std::string program;  // its path, in the folder of the programs or anywhere
  std::vector<std::string> arguments;
  std::vector<std::string> options;  // of the tool
  std::string kind;                  // of its bug
};

// All searches of one strategy, one for each seed.
struct Measured {
  int seeds = 0;
  int found = 0;                 // of these: the bug, and no other one
  double runs = 0;               // the median; a search that found nothing counts with what it ran
  double seconds = 0;            // the same
  double steps = 0;              // of one execution, in the first search
  std::uint64_t first_part = 0;  // of the first search
  bool complete = false;         // one of them came to its end
  std::string other_bug;         // one of them found this instead
  bool is_found() const { return 2 * found > seeds; }
};

class Results {
 public:
  // `keeps`: what an earlier run of the benchmark has in the folder counts.
  Results(std::string tool, std::string programs, const std::filesystem::path& folder, bool keeps);

  struct Wanted {
    Subject subject;
    Search search;
    std::string points;  // where threads may be switched
    double seconds;      // the limit
  };
  // Those that are not known yet. Two at a time, each in a process of its own.
  void run(const std::vector<Wanted>& wanted);
  // It must have been run.
  Measured of(const Wanted& wanted) const;

 private:
  struct Job {
    std::string key;
    SearchRequest request;
  };
  void start(const Job& job, std::size_t place);
  void finish(const std::string& key, std::size_t place);
  void note(const std::string& line);

  const std::string tool_;
  const std::string programs_;
  const std::filesystem::path folder_;
  std::map<std::string, SearchResult> results_;
};

}  // namespace ricercar::bench
