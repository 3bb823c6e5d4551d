#include "suites/bug_subjects.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "suites/search.h"

namespace ricercar::bench {
namespace {

namespace fs = std::filesystem;

// A program is left out if a comment line says that it needs something.
bool is_ordinary(const fs::path& source) {
  std::ifstream file(source);
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    for (const char* key : {"// options:", "// only:", "// libraries:"}) {
      if (line.starts_with(key)) return false;
    }
  }
  return true;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream rest(text);
  std::vector<std::string> words;
  for (std::string word; rest >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> arguments_of(const fs::path& source) {
  const std::string key = "// arguments:";
  std::ifstream file(source);
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    if (line.starts_with(key)) return words_of(line.substr(key.size()));
  }
  return {};
}

}  // namespace

std::vector<BugSubject> ordinary_bug_programs(const fs::path& folder) {
  std::vector<BugSubject> programs;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "bug")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".cc" && path.extension() != ".c") continue;
    if (!is_ordinary(path)) continue;
    programs.push_back({path.parent_path().filename() / path.stem(), path, {}, arguments_of(path)});
  }
  std::sort(programs.begin(), programs.end(),
            [](const BugSubject& a, const BugSubject& b) { return a.name < b.name; });
  return programs;
}

// See the lists for what their words are.
std::vector<BugSubject> bugs_of_thread_suites(const fs::path& suites, const fs::path& programs) {
  std::vector<BugSubject> all;
  for (const std::string& line : lines_of(suites / "gambit/bugs.txt")) {
    const std::vector<std::string> words = words_of(line);
    const std::string &test = words[0], &bug = words[1];
    all.push_back({"gambit/" + test + " " + bug, {}, programs / "gambit" / test, {bug}});
  }
  for (const std::string& line : lines_of(suites / "hapset/bugs.txt")) {
    const std::vector<std::string> words = words_of(line);
    const std::string &program = words[1], &bug = words[2], &workers = words[3];
    std::vector<std::string> arguments = {bug};
    if (workers != "-") arguments.push_back(workers);
    all.push_back({"hapset/" + words[0],
                   {},
                   programs / "hapset" / fs::path(program).filename(),
                   std::move(arguments)});
  }
  return all;
}

std::vector<BugSubject> bugs_of_protocols(const fs::path& suites, const fs::path& programs) {
  std::vector<BugSubject> all;
  for (const std::string& line : lines_of(suites / "protocols/bugs.txt")) {
    std::vector<std::string> words = words_of(line);
    const std::string name = "protocols/" + words[0];
    const fs::path program = programs / words[1];
    words.erase(words.begin(), words.begin() + 3);
    all.push_back({name, {}, program, std::move(words)});
  }
  return all;
}

std::vector<BugSubject> bugs_of_clusters(const fs::path& suites, const fs::path& programs) {
  std::vector<BugSubject> all;
  for (const std::string& line : lines_of(suites / "nodes/bugs.txt")) {
    const std::vector<std::string> words = words_of(line);
    const fs::path file = programs / "nodes" / words[0] / (words[1] + ".toml");
    all.push_back({"nodes/" + words[0] + " " + words[1], {}, file, {}, true});
  }
  return all;
}

std::vector<std::string> compilation_of(const fs::path& source, const std::string& program) {
  const bool is_c = source.extension() == ".c";
  return {is_c ? "cc" : "c++",
          is_c ? "-std=gnu11" : "-std=c++20",
          "-g",
          "-O1",
          "-pthread",
          source,
          "-o",
          program};
}

}  // namespace ricercar::bench
