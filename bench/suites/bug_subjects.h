// The programs with bugs that benchmarks search without options of their own: those of
// tests/programs/bug, and the bugs of the suites. Plain functions; safe to use from any thread.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ricercar::bench {

struct BugSubject {
  std::string name;
  std::filesystem::path source;   // to be compiled; empty: the program is there
  std::filesystem::path program;  // or the file of a cluster
  std::vector<std::string> arguments;
  bool is_cluster = false;
};

// Of a folder like tests/programs; a program is left out if its source names options, libraries or
// a compiler.
std::vector<BugSubject> ordinary_bug_programs(const std::filesystem::path& folder);

// `suites`: their sources, with the lists of bugs; `programs`: where they were built.
std::vector<BugSubject> bugs_of_thread_suites(const std::filesystem::path& suites,
                                              const std::filesystem::path& programs);
std::vector<BugSubject> bugs_of_protocols(const std::filesystem::path& suites,
                                          const std::filesystem::path& programs);
std::vector<BugSubject> bugs_of_clusters(const std::filesystem::path& suites,
                                         const std::filesystem::path& programs);

// The words of `ricercar` that compile it.
std::vector<std::string> compilation_of(const std::filesystem::path& source,
                                        const std::string& program);

}  // namespace ricercar::bench
