#include "suites/hapset/bug_programs.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "suites/hapset/columns.h"
#include "support/process.h"

namespace ricercar::bench {
namespace {

namespace fs = std::filesystem;

constexpr char points[] = "shared";

const std::vector<Search> searches = {algorithm5, asking_again, pruned_first, unpruned,
                                      dpor,       random_runs,  pct_runs};

// The words behind `// KEY:` at the beginning of a source.
std::vector<std::string> words_of(const fs::path& source, const std::string& key) {
  std::ifstream file(source);
  std::vector<std::string> words;
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    if (!line.starts_with("// " + key + ":")) continue;
    std::istringstream rest(line.substr(key.size() + 4));
    for (std::string word; rest >> word;) words.push_back(word);
  }
  return words;
}

// The benchmark has limits of its own.
std::vector<std::string> options_of(const fs::path& source) {
  std::vector<std::string> words = words_of(source, "options");
  const auto limit = std::find(words.begin(), words.end(), "--executions");
  if (limit != words.end()) words.erase(limit, limit + 2);
  return words;
}

void compile(const std::string& tool, const fs::path& source, const std::string& program) {
  const bool is_c = source.extension() == ".c";
  test::Command command{.words = {tool, is_c ? "cc" : "c++", is_c ? "-std=gnu11" : "-std=c++20",
                                  "-g", "-O1", "-pthread", source, "-o", program}};
  for (const std::string& word : words_of(source, "libraries")) command.words.push_back(word);
  const test::Finished finished = test::run(command);
  if (finished.status != 0) throw std::runtime_error(source.string() + ": " + finished.error);
}

// Where the program has no points of its own.
Results::Wanted wanted_of(const Subject& program, const Search& search, double seconds) {
  const auto& options = program.options;
  const bool has_points = std::find(options.begin(), options.end(), "--points") != options.end();
  return {program, search, has_points ? "" : points, seconds};
}

bool finds_at_once(const Measured& measured) {
  return measured.found == measured.seeds && measured.runs == 1;
}

std::string count_row(const std::vector<Subject>& programs, const Results& results,
                      double seconds) {
  std::string text = "| found, of " + std::to_string(programs.size()) + " |";
  for (const Search& search : searches) {
    const auto found = std::count_if(programs.begin(), programs.end(), [&](const Subject& each) {
      return results.of(wanted_of(each, search, seconds)).is_found();
    });
    text += " " + std::to_string(found) + " |";
  }
  return text + "\n";
}

}  // namespace

std::vector<Subject> compile_bug_programs(const std::string& tool, const fs::path& tests,
                                          const fs::path& folder, const std::string& wanted) {
  const fs::path programs = fs::absolute(folder);
  fs::create_directories(programs);
  std::vector<fs::path> sources;
  for (const auto& entry : fs::recursive_directory_iterator(fs::absolute(tests) / "programs/bug")) {
    const fs::path extension = entry.path().extension();
    if (extension == ".cc" || extension == ".c") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  std::vector<Subject> subjects;
  for (const fs::path& source : sources) {
    const std::string kind = source.parent_path().filename();
    if (!wanted.empty() && kind != wanted) continue;
    const std::string name = kind + "/" + source.stem().string();
    const fs::path program = programs / (kind + "-" + source.stem().string());
    if (!fs::exists(program)) compile(tool, source, program);
    subjects.push_back({name, program, words_of(source, "arguments"), options_of(source), kind});
  }
  return subjects;
}

std::vector<Results::Wanted> wanted_of_bug_programs(const std::vector<Subject>& programs,
                                                    double seconds) {
  std::vector<Results::Wanted> wanted;
  for (const Subject& program : programs) {
    for (const Search& search : searches) wanted.push_back(wanted_of(program, search, seconds));
  }
  return wanted;
}

std::string bug_program_table(const std::vector<Subject>& programs, const Results& results,
                              double seconds) {
  std::string rows;
  std::size_t at_once = 0;
  for (const Subject& program : programs) {
    std::string row = "| " + program.name + " |";
    bool all_at_once = true;
    for (const Search& search : searches) {
      const Measured measured = results.of(wanted_of(program, search, seconds));
      all_at_once = all_at_once && finds_at_once(measured);
      row += " " + cell(measured, seconds) + " |";
    }
    if (all_at_once) {
      ++at_once;
    } else {
      rows += row + "\n";
    }
  }
  return "The " + std::to_string(programs.size()) +
         " programs of tests/programs/bug, as they are: none was written or changed for one of "
         "these searches. Each has the options that its source names; `--points shared` where it "
         "names no points. At most " +
         format("%.0f", seconds) + " seconds for a search. In " + std::to_string(at_once) +
         " of them every search finds the bug in its first execution; they are not listed.\n\n" +
         heads("program", searches) + count_row(programs, results, seconds) + rows + "\n";
}

Part replan_part(const std::vector<Subject>& programs, double seconds) {
  Part part{"tests/programs/bug", {}, {}};
  for (const Subject& program : programs) {
    part.asking_again.push_back(wanted_of(program, asking_again, seconds));
    part.as_printed.push_back(wanted_of(program, algorithm5, seconds));
  }
  return part;
}

std::string replan_table(const std::vector<Part>& parts, const Results& results) {
  std::string text =
      "| programs | rows | found: `replan=yes` | found: `replan=no` | executions in all for what "
      "both find: `replan=yes` | `replan=no` |\n|---|---|---|---|---|---|\n";
  for (const Part& part : parts) {
    int found[2] = {0, 0};
    double runs[2] = {0, 0};
    for (std::size_t i = 0; i < part.asking_again.size(); ++i) {
      const Measured both[2] = {results.of(part.asking_again[i]), results.of(part.as_printed[i])};
      for (int way = 0; way < 2; ++way) {
        found[way] += both[way].found;
        if (both[0].found != 0 && both[1].found != 0) runs[way] += both[way].runs;
      }
    }
    text += "| " + part.title + " | " + std::to_string(part.asking_again.size()) + " | " +
            std::to_string(found[0]) + " | " + std::to_string(found[1]) + " | " +
            format("%.0f", runs[0]) + " | " + format("%.0f", runs[1]) + " |\n";
  }
  return text + "\n";
}

}  // namespace ricercar::bench
