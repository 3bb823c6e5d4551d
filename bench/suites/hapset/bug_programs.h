// All programs of tests/programs/bug, which were not made for any of these searches.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "suites/hapset/results.h"

namespace ricercar::bench {

// Compiles them under control, unless that was done before: all, or those with one kind of bug.
std::vector<Subject> compile_bug_programs(const std::string& tool,
                                          const std::filesystem::path& tests,
                                          const std::filesystem::path& folder,
                                          const std::string& kind = "");

// What is to be run for the two tables below.
std::vector<Results::Wanted> wanted_of_bug_programs(const std::vector<Subject>& programs,
                                                    double seconds);
std::string bug_program_table(const std::vector<Subject>& programs, const Results& results,
                              double seconds);

struct Part {
  std::string title;
  std::vector<Results::Wanted> asking_again;
  std::vector<Results::Wanted> as_printed;
};
// Which of the two ways to prune is better.
std::string replan_table(const std::vector<Part>& parts, const Results& results);
Part replan_part(const std::vector<Subject>& programs, double seconds);

}  // namespace ricercar::bench
