// Compiles one program of tests/programs under control, searches it and compares the outcome with
// what its folder promises. A bug that is found is replayed at once, on fibers and on real threads.
//
//   run_program TOOL gcc|clang PROGRAM.cc FOLDER [-O0|-O2]
//
// The places that the report names must be lines that are marked in the source of the program (see
// programs/README.md). With another level of optimisation than -O1 that is all that is looked at.
// Searches that promise something must not promise it without the bug.
//
// What it makes goes to FOLDER, which is removed unless something failed. RICERCAR_RUN_OPTIONS
// holds more options for `ricercar run`. RICERCAR_PROGRAM_HEADERS, set by CMake, is the folder with
// the headers that CMake had precompiled with each compiler at each level.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "support/process.h"
#include "support/strategies.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;

constexpr int exit_bug = 1;
constexpr int replays = 3;
constexpr const char* usual_level = "-O1";
constexpr const char* precompiled_folder = RICERCAR_PROGRAM_HEADERS;

// Why the program did not pass.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Expectation {
  std::string kind;  // empty: no bug
  Words options;
  Words arguments;
  std::string also;     // a kind of bug that some schedules show besides
  std::string only;     // the one compiler that makes the bug visible
  Words libraries;      // options for the linker
  std::string unseen;   // what no search knows of, so that its promise may be wrong
  std::string reasons;  // the one compiler that instruments all that its explanation names
};

using MarkedLines = std::map<std::string, std::set<unsigned>>;  // by what is done there

Words split(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string first_word(const std::string& text) {
  const Words words = split(text);
  return words.empty() ? "" : words[0];
}

// From the environment, so that all programs can be tried in another mode.
Words more_options() {
  const char* options = std::getenv("RICERCAR_RUN_OPTIONS");
  return options == nullptr ? Words{} : split(options);
}

void append(Words& to, const Words& from) { to.insert(to.end(), from.begin(), from.end()); }

bool are_only_libraries(const Words& words) {
  return std::all_of(words.begin(), words.end(), [](auto& word) { return word.starts_with("-l"); });
}

// The rest of the comment line that begins with this key.
std::string comment(const fs::path& source, const std::string& key) {
  std::ifstream file(source);
  const std::string start = "// " + key + ":";
  for (std::string line; std::getline(file, line) && line.starts_with("//");) {
    if (line.starts_with(start)) return line.substr(start.size());
  }
  return {};
}

// bug/KIND/NAME.cc or ok/NAME.cc
std::string kind_of(const fs::path& source) {
  const std::string folder = source.parent_path().filename();
  if (folder == "ok") return {};
  if (source.parent_path().parent_path().filename() == "bug") return folder;
  throw Failure(source.string() + " is neither in ok/ nor in bug/KIND/");
}

// "... // <- bug: reads, writes // <- why: locks": what stands behind one of the marks. A program
// that is another one with other options includes it, and the lines are there.
MarkedLines marked_lines(const fs::path& source, const std::string& mark) {
  MarkedLines lines;
  std::ifstream file(source);
  unsigned number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.starts_with("#include \"") && line.ends_with(".cc\"")) {
      const std::string name = line.substr(10, line.size() - 11);
      return marked_lines(source.parent_path() / name, mark);
    }
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    std::string roles = line.substr(at + mark.size());
    roles.resize(std::min(roles.find("//"), roles.size()));
    std::replace(roles.begin(), roles.end(), ',', ' ');
    for (const std::string& role : split(roles)) lines[role].insert(number);
  }
  return lines;
}

Expectation expectation_of(const fs::path& source) {
  if (!fs::exists(source)) throw Failure("there is no " + source.string());
  return {kind_of(source),
          split(comment(source, "options")),
          split(comment(source, "arguments")),
          first_word(comment(source, "also")),
          first_word(comment(source, "only")),
          split(comment(source, "libraries")),
          comment(source, "unseen"),
          first_word(comment(source, "reasons"))};
}

class ProgramTest {
 public:
  ProgramTest(std::string tool, std::string compiler, fs::path source, fs::path folder,
              std::string level)
      : tool_(std::move(tool)),
        compiler_(std::move(compiler)),
        source_(std::move(source)),
        folder_(std::move(folder)),
        level_(std::move(level)),
        expected_(expectation_of(source_)),
        marked_(marked_lines(source_, "// <- bug:")),
        reasons_(marked_lines(source_, "// <- why:")) {}

  void run() {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    compile();
    if (!expected_.only.empty() && expected_.only != compiler_) {
      expect_no_bug({});
    } else if (expected_.kind.empty()) {
      expect_no_bug(up_to("2000"));
      Words dfs = up_to("20000");
      append(dfs, {"--strategy", "dfs", "--time", "10"});
      expect_no_bug(dfs);
      if (compiler_ == "gcc") expect_no_report_from_its_strategies(tool_, correct_program());
    } else {
      const std::string schedule = expect_bug();
      if (level_ == usual_level) replay(schedule);
      const bool promises = expected_.unseen.empty() && compiler_ == "gcc";
      if (level_ == usual_level && promises) expect_no_false_promise();
    }
    fs::remove_all(folder_);
  }

 private:
  Words with_tool(const Words& words) const {
    Words all = {tool_};
    append(all, words);
    return all;
  }

  Finished tool(const Words& words, int status) {
    Command command;
    command.words = with_tool(words);
    command.folder = folder_;
    const Finished finished = test::run(command);
    last_ = describe(command, finished);
    if (finished.status != status || finished.timed_out) {
      throw Failure("exit status " + std::to_string(status) + " was expected\n" + last_);
    }
    return finished;
  }

  void compile() {
    const bool is_c = source_.extension() == ".c";
    Words words = {is_c ? "cc" : "c++"};
    if (compiler_ == "clang") words.push_back("--clang");
    append(words, {is_c ? "-std=gnu11" : "-std=c++20", "-g", level_, "-Wall", "-Wextra", "-Werror",
                   "-pthread", source_, "-o", "program"});
    append(words, expected_.libraries);
    if (!is_c) append(words, precompiled_headers());
    tool(words, 0);
  }

  // Compilers take them only with the options that they were precompiled with.
  Words precompiled_headers() const {
    if (!are_only_libraries(expected_.libraries)) return {};
    return {"-include", fs::path(precompiled_folder) / (compiler_ + level_) / "headers.h"};
  }

  Json search(const Words& options, int status) {
    Words words = {"run", "--quiet", "--json", "summary.json", "--out", "out"};
    append(words, expected_.options);
    append(words, options);
    append(words, more_options());
    // What a race leads to is looked at once for each program.
    const bool looks_past_race = compiler_ == "gcc" && level_ == usual_level;
    if (!looks_past_race) append(words, {"--past-race", "0"});
    if (!minimises()) append(words, {"--no-minimise"});
    append(words, {"--", "./program"});
    append(words, expected_.arguments);
    tool(words, status);
    std::ifstream file(folder_ / "summary.json");
    return Json::parse(file);
  }

  // So is a shorter execution with the same failure.
  bool minimises() const { return compiler_ == "gcc" && level_ == usual_level; }

  // A program whose executions are long sets its own limit. A fork for each of them takes longer.
  Words up_to(const std::string& executions) const {
    const Words& own = expected_.options;
    const Words more = more_options();
    const bool is_limited = std::find(own.begin(), own.end(), "--executions") != own.end();
    const bool forks = std::find(more.begin(), more.end(), "--fork") != more.end();
    return is_limited ? Words{} : Words{"--executions", forks ? "300" : executions};
  }

  CorrectProgram correct_program() const {
    Words command = {"./program"};
    append(command, expected_.arguments);
    return {source_.stem(), expected_.options, command, folder_};
  }

  void expect_no_bug(const Words& options) {
    const Json summary = search(options, 0);
    if (!summary["bugs"].empty()) throw Failure("no bug was expected\n" + last_);
    if (summary["executions"] == 0) throw Failure("nothing was explored\n" + last_);
    if (summary["truncated"] != 0) throw Failure("some executions did not end\n" + last_);
  }

  // The schedule of the bug.
  std::string expect_bug() {
    const Json summary = search({}, exit_bug);
    std::string schedule;
    for (const Json& bug : summary["bugs"]) {
      const std::string kind = bug["kind"];
      expect_marked_lines(bug);
      expect_shorter(bug);
      expect_fewest_preemptions(bug);
      if (kind == expected_.kind && level_ == usual_level && has_reasons()) expect_reasons(bug);
      const Json past = bug["details"].value("past_race", Json::object());
      if (past.contains("schedule")) tool({"replay", past["schedule"]}, exit_bug);
      if (kind == expected_.kind && schedule.empty()) {
        schedule = bug["schedule"];
      } else if (kind != expected_.kind && kind != expected_.also) {
        throw Failure(kind + " was found instead of " + expected_.kind + "\n" + last_);
      }
    }
    if (schedule.empty()) throw Failure("no " + expected_.kind + " was found\n" + last_);
    return schedule;
  }

  bool has_reasons() const { return expected_.reasons.empty() || expected_.reasons == compiler_; }

  // The same failure, and the one that was found beside it.
  void expect_shorter(const Json& bug) {
    const Json minimised = bug["details"].value("minimised", Json::object());
    const bool is_told = !minimised.empty() || bug["details"].contains("not_minimised");
    if (minimises() && !is_told) throw Failure("nothing says why it was not minimised\n" + last_);
    if (!minimised.contains("original")) return;
    const auto size = [&](const char* when) {
      const Json& it = minimised[when];
      return std::tuple<int, int, int>(it["preemptions"], it["switches"], it["steps"]);
    };
    if (size("after") >= size("before")) throw Failure("it is no shorter\n" + last_);
    if (bug["steps"] != minimised["after"]["steps"]) throw Failure("steps differ\n" + last_);
    const std::string original = minimised["original"];
    tool({"replay", "--quiet", original}, exit_bug);
    const Finished shown = tool({"show", "--format=json", original}, 0);
    if (lines_of(Json::parse(shown.output)) != lines_of(bug)) {
      throw Failure("minimising has made another bug of " + shown.output + "\n" + last_);
    }
  }

  // `pb` tries the executions with fewer preemptions than the minimised one, those with the fewest
  // first; the same failure must not be among them.
  void expect_fewest_preemptions(const Json& bug) {
    const int preemptions = bug["details"].value("preemptions", 0);
    if (!minimises() || preemptions == 0 || bug["details"].contains("not_minimised")) return;
    Words words = {"run", "--quiet", "--json", "pb.json", "--out", "pb"};
    append(words, expected_.options);
    append(words, more_options());
    append(words, {"--no-minimise", "--past-race", "0", "--executions", "20000", "--time", "5"});
    append(words, {"--strategy", "pb:bound=" + std::to_string(preemptions - 1)});
    append(words, {"--", "./program"});
    append(words, expected_.arguments);
    test::run({.words = with_tool(words), .folder = folder_});
    std::ifstream file(folder_ / "pb.json");
    for (const Json& other : Json::parse(file)["bugs"]) {
      if (other["kind"] != bug["kind"] || lines_of(other) != lines_of(bug)) continue;
      throw Failure("pb finds it with fewer preemptions than " + std::to_string(preemptions) +
                    ": " + other.dump() + "\n" + last_);
    }
  }

  // Where it went wrong; who came first in a race is up to the execution, and so is at which line
  // of its loop a thread is cut that goes round for ever.
  static std::multiset<std::string> lines_of(const Json& bug) {
    std::multiset<std::string> lines;
    for (const Json& place : bug["places"]) {
      const bool goes_round = bug["kind"] == "livelock" && place.value("role", "") == "spins";
      const std::string where =
          goes_round ? place.value("function", "") : std::to_string(place.value("line", 0));
      lines.insert(place.value("file", "") + ":" + where);
    }
    return lines;
  }

  // A search that misses the bug must not say that nothing is left to explore.
  void expect_no_false_promise() {
    for (const char* strategy : {"dpor", "hapset"}) {
      Words words = {"run", "--quiet", "--json", "promise.json", "--out", "promise"};
      append(words, expected_.options);
      append(words, up_to("2000"));
      append(words, {"--time", "3", "--strategy", strategy, "--", "./program"});
      append(words, expected_.arguments);
      test::run({.words = with_tool(words), .folder = folder_});
      std::ifstream file(folder_ / "promise.json");
      const Json summary = Json::parse(file, nullptr, false);
      const bool is_false = summary.is_object() && summary["bugs"].empty() && summary["complete"];
      if (is_false) throw Failure(std::string(strategy) + " is complete without the bug\n");
      fs::remove(folder_ / "promise.json");
    }
  }

  void expect_marked_lines(const Json& bug) {
    if (marked_.empty()) throw Failure("no line is marked in the source\n" + last_);
    if (bug["places"].empty()) throw Failure("the report names no place\n" + last_);
    for (const Json& place : bug["places"]) {
      const std::string role = place["role"];
      const std::string file = fs::path(std::string(place["file"])).filename();
      if (file == source_.filename() && marked_[role].contains(place["line"])) continue;
      throw Failure("the report names a line that is not marked: " + place.dump() + "\n" + last_);
    }
  }

  // Each line that is marked must be named with what is done there; others may be named, too.
  void expect_reasons(const Json& bug) {
    MarkedLines named;
    const Json why = bug["details"].value("why", Json::object());
    for (const Json& place : why.value("places", Json::array())) {
      const std::string file = fs::path(place.value("file", "")).filename();
      if (file == source_.filename()) named[place["role"]].insert(place["line"].get<unsigned>());
    }
    for (const auto& [role, lines] : reasons_) {
      for (const unsigned line : lines) {
        if (named[role].contains(line)) continue;
        throw Failure("the explanation does not name line " + std::to_string(line) + ", which " +
                      role + ": " + why.dump() + "\n" + last_);
      }
    }
  }

  void replay(const std::string& schedule) {
    const std::string times = std::to_string(replays);
    const Finished many = tool({"replay", "--times", times, schedule}, exit_bug);
    if (many.output.find(times + " of " + times) == std::string::npos) {
      throw Failure("every replay should show the same trace\n" + last_);
    }
    tool({"replay", "--quiet", "--backend=threads", schedule}, exit_bug);
  }

  std::string tool_;
  std::string compiler_;
  fs::path source_;
  fs::path folder_;
  std::string level_;  // of optimisation
  Expectation expected_;
  MarkedLines marked_;
  MarkedLines reasons_;  // lines that the explanation of the bug must name
  std::string last_;     // the last command and what came of it
};

}  // namespace
}  // namespace ricercar::test

int main(int argument_count, char** arguments) {
  using namespace ricercar::test;
  if (argument_count != 5 && argument_count != 6) {
    std::fprintf(stderr, "usage: run_program TOOL gcc|clang PROGRAM.cc FOLDER [-O0|-O2]\n");
    return 2;
  }
  try {
    const std::string level = argument_count == 6 ? arguments[5] : usual_level;
    ProgramTest(arguments[1], arguments[2], fs::absolute(arguments[3]), arguments[4], level).run();
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s, compiled by %s: %s", arguments[3], arguments[2], failure.what());
    return 1;
  }
  return 0;
}
