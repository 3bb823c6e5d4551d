// HaPSet from the outside: which sets a search has learned after each execution, where statements
// are called from, and what becomes of the sets.
#include <signal.h>

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Json = nlohmann::json;
using Sets = std::map<std::string, std::set<std::string>>;

constexpr int no_bug = 0;
constexpr int bug = 1;
constexpr int usage = 2;
constexpr int interrupted = 130;

// What the paper runs, and nothing afterwards.
constexpr const char* pruned = "hapset:prune=yes";

class Hapset : public ToolTest {
 protected:
  // Compiled with other options than program() has.
  static std::string compile(const std::string& source, const std::string& name,
                             const Words& options) {
    Words words = {"c++"};
    words.insert(words.end(), options.begin(), options.end());
    for (const std::string& word : {path_of(source), std::string("-o"), name}) {
      words.push_back(word);
    }
    EXPECT_EQ(tool(words).status, 0) << last();
    return "./" + name;
  }

  static std::string path_of(const std::string& source) {
    return std::string(RICERCAR_TESTS) + "/" + source;
  }

  static Json shown(const std::string& sets) {
    const Finished finished = tool({"hapset", "show", sets, "--json", "-"});
    EXPECT_EQ(finished.status, 0) << last();
    return Json::parse(finished.output);
  }

  // The comment at the end of a line is its name.
  static std::map<std::string, std::string> names_in(const std::string& source) {
    std::map<std::string, std::string> names;
    std::istringstream text(read_file(path_of(source)));
    int number = 1;
    for (std::string line; std::getline(text, line); ++number) {
      const std::size_t comment =
          line.find(";  ") == std::string::npos ? line.find("{  //") : line.find("//");
      if (comment == std::string::npos) continue;
      const std::string name = line.substr(line.find("//") + 3);
      names[path_of(source) + ":" + std::to_string(number)] = name;
    }
    return names;
  }

  // The sets of the statements that have a name, of pairs that were seen.
  static Sets sets_in(const std::string& file, const std::string& source) {
    const std::map<std::string, std::string> names = names_in(source);
    const Json coverage = shown(file);
    Sets sets;
    for (const Json& pair : coverage.at("pairs")) {
      const auto later = names.find(place_of(coverage, pair.at("later")));
      const auto earlier = names.find(place_of(coverage, pair.at("earlier")));
      const bool is_named = later != names.end() && earlier != names.end();
      if (is_named && pair.at("count") != 0) sets[later->second].insert(earlier->second);
    }
    return sets;
  }

  // By the name of a statement: what it was called from.
  static std::map<std::string, std::vector<std::string>> calls_in(const std::string& file,
                                                                  const std::string& source) {
    std::map<std::string, std::string> names = names_in(source);
    std::map<std::string, std::vector<std::string>> calls;
    const Json coverage = shown(file);
    for (const Json& statement : coverage.at("statements")) {
      const std::string place = statement.at("place");
      if (!names.contains(place)) continue;
      for (const std::string call : statement.at("calls")) {
        calls[names[place]].push_back(names[call]);
      }
    }
    return calls;
  }

  // The number behind these words.
  static std::string after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    EXPECT_NE(at, std::string::npos) << text;
    return text.substr(at + words.size(), text.find(';', at + words.size()) - at - words.size());
  }

 private:
  static std::string place_of(const Json& coverage, std::size_t statement) {
    return coverage.at("statements").at(statement).at("place");
  }
};

// --- The paper's examples as programs ---

// In the first execution x is not known to be shared, so that only the locks count; the second one
// begins again. Then nothing more would be new, while dpor has a trace for each round of the loop.
TEST_F(Hapset, EndsAfterAHandfulOfRunsOfFigure2) {
  const std::string source = "hapset/busy_waiting.cc";
  const std::string path = program(source);
  expect(tool({"run", "-n", "1", "--strategy", pruned, "--hapset", "first", path}), no_bug, {});
  EXPECT_EQ(sets_in("first", source), (Sets{{"b", {"f"}}, {"f", {"b"}}}));
  expect(tool({"run", "--strategy", pruned, "--hapset", "all", path}), no_bug,
         {"explored    2 executions", "not a proof"});
  EXPECT_EQ(sets_in("all", source), (Sets{{"b", {"f"}}, {"c", {"g"}}, {"f", {"b"}}, {"g", {"c"}}}));
}

TEST_F(Hapset, FindsTheViolationOfFigure1) {
  const std::string source = "hapset/check_then_use.cc";
  const std::string path = program(source);
  expect(tool({"run", "--strategy", pruned, "--hapset", "use", path}), bug, {"segmentation fault"});
  // What the good executions showed: e3 comes after nothing.
  const Sets sets = sets_in("use", source);
  EXPECT_FALSE(sets.contains("e3"));
  expect(tool({"replay", "ricercar-out/bug-1.json"}), bug, {"segmentation fault"});
}

// --- What was left out ---

// A lost wake-up inside of the library: all pairs of statements have been seen before it shows.
TEST_F(Hapset, FindsAfterwardsWhatItHasLeftOut) {
  const std::string path = program("hapset/semaphore.cc");
  expect(tool({"run", "--strategy", pruned, "--json", "pruned.json", path}), no_bug,
         {"every new scenario in reach: ", "this is not a proof"});
  const Json few = Json::parse(read_file(in_folder("pruned.json")));
  EXPECT_FALSE(few["complete"]);
  EXPECT_FALSE(few.contains("first_part")) << "there is no other part";
  const std::string executions = few["executions"].dump();

  expect(tool({"run", "--strategy", "hapset", "--json", "all.json", path}), bug,
         {"deadlock",
          "every new scenario in reach after " + executions + " executions; then, with what was"});
  const Json all = Json::parse(read_file(in_folder("all.json")));
  EXPECT_EQ(all["first_part"], few["executions"]);
  EXPECT_GT(all["bugs"][0]["execution"], few["executions"]);
  expect(tool({"replay", "ricercar-out/bug-1.json"}), bug, {"deadlock"});
}

// Points that show late begin the search again, and with it its first part.
TEST_F(Hapset, IsCompleteWhenNothingIsLeftOut) {
  const std::string path = program("hapset/two_updates.cc");
  expect(tool({"run", "--strategy", "dpor", "--points", "shared", "--json", "dpor.json", path}),
         no_bug, {"nothing is left to explore"});
  expect(tool({"run", "--strategy", "hapset", "--json", "all.json", path}), no_bug,
         {"nothing is left to explore"});
  const Json all = Json::parse(read_file(in_folder("all.json")));
  const Json dpor = Json::parse(read_file(in_folder("dpor.json")));
  EXPECT_EQ(after(all["coverage"], "every Mazurkiewicz trace: "),
            after(dpor["coverage"], "every Mazurkiewicz trace: "));
  EXPECT_LT(all["first_part"], all["executions"]);
  // The limit comes before the end of the second part.
  const std::string limit = std::to_string(all["executions"].get<int>() - 1);
  expect(tool({"run", "--strategy", "hapset", "-n", limit, "--json", "some.json", path}), no_bug,
         {});
  EXPECT_FALSE(Json::parse(read_file(in_folder("some.json")))["complete"]);
}

// --- Statements ---

TEST_F(Hapset, KnowsWhereStatementsAreCalledFrom) {
  const std::string source = "hapset/calls.cc";
  const std::vector<std::string> deep(5, "recursion");
  for (const Words& options :
       std::vector<Words>{{"-O0"}, {"-O2"}, {"--clang", "-O0"}, {"--clang", "-O2"}}) {
    const std::string name = "calls" + options.back() + std::to_string(options.size());
    const std::string path = compile(source, name, options);
    expect(tool({"run", "--no-races", "--strategy", pruned, "--hapset", name + ".sets", path}),
           no_bug, {});
    const auto calls = calls_in(name + ".sets", source);
    EXPECT_EQ(calls.at("caught"), std::vector<std::string>{"first"}) << name;
    EXPECT_EQ(calls.at("inlined"), (std::vector<std::string>{"call", "first"})) << name;
    EXPECT_EQ(calls.at("deepest"), deep) << name;
  }
}

TEST_F(Hapset, SaysThatThereAreNoLines) {
  const std::string path = compile("hapset/busy_waiting.cc", "stripped", {"-O1", "-s"});
  expect(tool({"run", "--strategy", pruned, "--hapset", "stripped.sets", path}), no_bug,
         {"no debug information", "symbols and offsets", "-g"});
  EXPECT_NE(read_file(in_folder("stripped.sets")).find("stripped+0x"), std::string::npos);
}

// --- What becomes of the sets ---

TEST_F(Hapset, GoesOnFromWhatWasLearned) {
  const std::string path = program("hapset/busy_waiting.cc");
  expect(tool({"run", "--strategy", pruned, "--hapset", "on", path}), no_bug, {});
  const Json first = shown("on");
  expect(tool({"run", "--strategy", pruned, "--hapset", "on", path}), no_bug, {"no new pair"});
  const Json second = shown("on");
  EXPECT_EQ(second.at("pairs_seen"), first.at("pairs_seen"));
  EXPECT_EQ(second.at("statements"), first.at("statements"));
  EXPECT_EQ(second.at("executions"), 2 * first.at("executions").get<int>());
  EXPECT_EQ(second.at("pairs").at(0).at("first_execution"), 1);
  // Another order of the same search knows them, too.
  expect(tool({"run", "--strategy", "bestfirst:space=dpor,priority=hapset+pb", "--hapset", "on",
               path}),
         no_bug, {"every Mazurkiewicz trace", "no new pair"});
}

TEST_F(Hapset, SurvivesARebuild) {
  const std::string source = "hapset/busy_waiting.cc";
  const std::string path = compile(source, "rebuilt", {"-O0"});
  expect(tool({"run", "--strategy", pruned, "--hapset", "rebuilt.sets", path}), no_bug, {});
  const Sets before = sets_in("rebuilt.sets", source);
  compile(source, "rebuilt", {"-O2"});
  expect(tool({"run", "--strategy", pruned, "--hapset", "rebuilt.sets", path}), no_bug, {});
  EXPECT_EQ(sets_in("rebuilt.sets", source), before);
}

TEST_F(Hapset, RefusesSetsOfSomethingElse) {
  const std::string path = program("hapset/busy_waiting.cc");
  expect(tool({"run", "--strategy", pruned, "--hapset", "own", path}), no_bug, {});
  expect(
      tool({"run", "--strategy", pruned, "--hapset", "own", program("hapset/check_then_use.cc")}),
      usage, {"busy_waiting", "check_then_use"});
  expect(tool({"run", "--strategy", "hapset:prune=yes,context=2", "--hapset", "own", path}), usage,
         {"5 calls", "context=5"});
  write_file(in_folder("damaged"), read_file(in_folder("own")).substr(0, 100));
  expect(tool({"run", "--strategy", pruned, "--hapset", "damaged", path}), usage, {"damaged"});
}

TEST_F(Hapset, SavesWhatItHasWhenItIsStopped) {
  const std::string path = program("hapset/busy_waiting.cc");
  Process search(command({"run", "--time", "60", "-n", "100000000", "--strategy",
                          "hapset:learn=1000000", "--hapset", "stopped", path}));
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  search.signal_group(SIGINT);
  const Finished finished = search.wait();
  EXPECT_EQ(finished.status, interrupted) << finished.output << finished.error;
  EXPECT_GE(shown("stopped").at("pairs_seen").get<int>(), 4);
}

TEST_F(Hapset, ReportsInEveryFormat) {
  const std::string path = program("hapset/busy_waiting.cc");
  for (const std::string file : {"report.txt", "report.json", "report.html", "report.svg"}) {
    expect(tool({"run", "--strategy", pruned, "--coverage", file, path}), no_bug, {});
    EXPECT_FALSE(read_file(in_folder(file)).empty()) << file;
  }
  expect(tool({"run", "--strategy", pruned, "--coverage", "report.pdf", path}), usage,
         {".html, .json, .svg or .txt"});
}

}  // namespace
}  // namespace ricercar::test
