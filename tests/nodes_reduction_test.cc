// Reduction over messages: what plain depth-first search finds in a cluster, in fewer executions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using Words = std::vector<std::string>;

struct Member {
  std::string kind;  // node or client
  std::string name;
  Words script;  // see nodes/script.cc
};

struct Result {
  std::uint64_t executions = 0;
  std::uint64_t traces = 0;  // by what each node has done and got
  bool complete = false;
  std::set<std::string> bugs;
};

class NodesReductionTest : public ToolTest {
 protected:
  static void cluster(const std::vector<Member>& members, const std::string& more = "") {
    std::ofstream file(in_folder("cluster.toml"));
    file << more << "\n";
    for (const Member& member : members) {
      file << "[[" << member.kind << "]]\nname = \"" << member.name << "\"\ncommand = [\""
           << script() << '"';
      for (const std::string& word : member.script) file << ", \"" << word << '"';
      file << "]\n";
    }
  }

  static Result search(const std::string& strategy, const Words& options = {}) {
    std::filesystem::remove(in_folder("result.json"));
    Words words = {"run",        "--out",  "out",          "--nodes", "cluster.toml",
                   "--strategy", strategy, "--keep-going", "--json",  "result.json"};
    words.insert(words.end(), options.begin(), options.end());
    const Finished finished = tool(words);
    EXPECT_LE(finished.status, 1) << finished.output << finished.error;
    std::ifstream file(in_folder("result.json"));
    const nlohmann::json all = nlohmann::json::parse(file);
    Result result{all["executions"], all["distinct_traces"], all["complete"], {}};
    for (const auto& bug : all["bugs"]) result.bugs.insert(bug["message"]);
    return result;
  }

  // Both search everything, and find the same. So many executions of the search without reduction
  // there are for one with it.
  static double compare() {
    const Result all = search("dfs"), reduced = search("dpor");
    EXPECT_TRUE(all.complete && reduced.complete);
    EXPECT_EQ(reduced.traces, all.traces);
    EXPECT_EQ(reduced.bugs, all.bugs);
    return static_cast<double>(all.executions) / static_cast<double>(reduced.executions);
  }

  // The same for any two strategies: executions of both, the oracle's first.
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  static Counts compare(const std::string& strategy, const std::string& oracle = "dfs") {
    const Result all = search(oracle), other = search(strategy);
    EXPECT_EQ(other.complete, all.complete) << strategy;
    EXPECT_EQ(other.traces, all.traces) << strategy;
    EXPECT_EQ(other.bugs, all.bugs) << strategy;
    return {all.executions, other.executions};
  }

 private:
  static const std::string& script() {
    static const std::string made = program("nodes/script.cc");
    return made;
  }
};

TEST_F(NodesReductionTest, TwoClientsOfAServerOverStreams) {
  cluster({{"node", "server", {"l", "a", "q", "a"}},
           {"client", "one", {"c:server", "w:x"}},
           {"client", "two", {"c:server"}}});
  EXPECT_GE(compare(), 10);
}

TEST_F(NodesReductionTest, AVoteOverDatagrams) {
  cluster({{"node", "first", {"r", "s:asks:y"}},
           {"node", "second", {"r", "s:asks:n"}},
           {"client", "asks", {"s:first:v", "s:second:v", "r", "r", "=yn"}}});
  EXPECT_GE(compare(), 10);
  EXPECT_EQ(search("dpor").bugs.size(), 1U);
}

TEST_F(NodesReductionTest, ALockThatIsGivenToTheWrongOne) {
  cluster({{"node", "lock", {"r", "s:one:*", "r", "s:two:*"}},
           {"client", "one", {"s:lock:x", "r"}},
           {"client", "two", {"s:lock:y", "r", "=x"}}});
  EXPECT_GE(compare(), 10);
  EXPECT_EQ(search("dpor").bugs.size(), 1U);
}

// A client that has got nothing in time ends the execution while the server could go on.
TEST_F(NodesReductionTest, SeesWhatElseCanHappenWhereSomeExecutionsFail) {
  cluster({{"node", "server", {"r", "s:one:y", "r"}},
           {"client", "one", {"s:server:x", "p", "s:server:x", "p", "=!!"}}});
  EXPECT_GE(compare(), 10);
}

// What it finds is a schedule like any other.
TEST_F(NodesReductionTest, FindsABugThatReplays) {
  cluster({{"node", "a", {"r", "r", "=yx"}},
           {"client", "b", {"s:a:x"}},
           {"client", "c", {"s:a:y", "p"}}});
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "dpor"}), 1,
         {"assertion", "script.cc:"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
}

TEST_F(NodesReductionTest, DoesNotWorkWithWhatDependsOnAllNodes) {
  const std::vector<Member> members = {{"node", "a", {"r"}}, {"client", "b", {"s:a:x"}}};
  for (const char* field : {"early_timeouts = 1", "faults = { drop = 1 }", "progress = 100"}) {
    cluster(members, field);
    const std::string name = std::string(field).substr(0, std::string(field).find(' '));
    for (const std::string strategy : {"dpor", "bpor", "bestfirst"}) {
      expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", strategy}), 2,
             {"'" + strategy + "' does not work with `" + name + "`", "try ses"});
    }
  }
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "ses"}), 2,
         {"'ses' does not work with `progress`", "try ss"});
}

TEST_F(NodesReductionTest, SaysWhatDoesNotWorkForNodes) {
  cluster({{"node", "a", {"r"}}, {"client", "b", {"s:a:x"}}});
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "hapset"}), 2,
         {"'hapset' learns which statement follows which", "it does not work for nodes"});
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "ses:reduce=yes"}),
         2, {"'ses' works for nodes without reduce=yes only"});
}

// --- Other searches through everything ---

TEST_F(NodesReductionTest, EveryExhaustiveStrategyFindsWhatDepthFirstSearchFinds) {
  cluster({{"node", "first", {"r", "s:asks:y"}},
           {"node", "second", {"r", "s:asks:n"}},
           {"client", "asks", {"s:first:v", "s:second:v", "r", "r", "=yn"}}});
  EXPECT_EQ(compare("ses"), Counts(670, 34));
  EXPECT_EQ(compare("ses:explorer=rtc"), Counts(670, 34));
  EXPECT_EQ(compare("ses:explorer=prr,check=yes"), Counts(670, 34));
  EXPECT_EQ(compare("ses:exact=yes"), Counts(670, 238));
  EXPECT_EQ(compare("bestfirst"), Counts(670, 6));
  EXPECT_EQ(compare("bestfirst:space=persistent"), Counts(670, 7));
  EXPECT_EQ(compare("bestfirst:space=all"), Counts(670, 670));
  EXPECT_EQ(compare("bpor:bound=9"), Counts(670, 24));
  EXPECT_EQ(compare("pb:bound=9,cache=yes"), Counts(670, 42));
  EXPECT_EQ(compare("pb:bound=1,cache=yes", "pb:bound=1"), Counts(338, 34));
  EXPECT_EQ(compare("bpor:bound=1", "pb:bound=1"), Counts(338, 22));
  EXPECT_EQ(compare("bestfirst:space=pb=1", "pb:bound=1"), Counts(338, 338));
}

// What goes wrong, and time limits that pass early, are parts of a state, too.
TEST_F(NodesReductionTest, StatesAreToldApartWhateverGoesWrong) {
  for (const char* field :
       {"faults = { drop = 1, duplicate = 1 }", "faults = { crash = 1, restart = 1 }",
        "faults = { delay = 1, reorder = 1 }", "faults = { partition = 1 }",
        "early_timeouts = 1"}) {
    cluster({{"node", "store", {"r", "r"}}, {"client", "one", {"s:store:x", "p", "s:store:y"}}},
            field);
    const Counts counts = compare("ses");
    EXPECT_LE(counts.second, counts.first) << field;
    compare("pb:bound=99,cache=yes");
    compare("bestfirst:space=all");
  }
}

// --- Samples with delays ---

// One delay, whatever else could go wrong there.
TEST_F(NodesReductionTest, WhatGoesWrongCostsOneDelay) {
  cluster({{"node", "a", {"r", "s:b:y"}}, {"client", "b", {"s:a:x", "p", "=!"}}},
          "faults = { drop = 1, duplicate = 1, crash = 1 }\nearly_timeouts = 0");
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "ss:bound=1"}), 1,
         {"assertion"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
}

TEST_F(NodesReductionTest, EveryExplorerFindsWhatNeedsAnOrderOfMessages) {
  cluster({{"node", "lock", {"r", "s:one:*", "r", "s:two:*"}},
           {"client", "one", {"s:lock:x", "r"}},
           {"client", "two", {"s:lock:y", "r", "=x"}}});
  for (const char* explorer : {"rr", "rtc", "prr"}) {
    expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy",
                 std::string("ss:check=yes,explorer=") + explorer}),
           1, {"assertion"});
  }
}

TEST_F(NodesReductionTest, DoesNotWorkWithAPropertyThatSeesMoreThanReports) {
  std::ofstream(in_folder("inside.cc"))
      << "#include <ricercar/properties.h>\n"
         "const auto inside = ricercar::always(\"inside\", [](const ricercar::State& state) {\n"
         "  return state.sent() < 100;\n"
         "});\n";
  cluster({{"node", "a", {"r"}}, {"client", "b", {"s:a:x"}}}, "properties = \"inside.cc\"");
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "dpor"}), 2,
         {"a property asks for global(), sent() or delivered()", "try --strategy random"});
  expect(tool({"run", "--out", "out", "--nodes", "cluster.toml", "--strategy", "dfs"}), 0, {});
}

// What several nodes have reported at one moment depends on orders that nobody else can see.
TEST_F(NodesReductionTest, SeesWhatNodesHaveReportedInEveryOrder) {
  std::ofstream(in_folder("order.cc"))
      << "#include <ricercar/properties.h>\n"
         "const auto order = ricercar::always(\"order\", [](const ricercar::State& state) {\n"
         "  return state.has(\"a\", \"received\") || !state.has(\"b\", \"received\");\n"
         "});\n";
  cluster({{"node", "a", {"z", "n", "z"}}, {"node", "b", {"z", "n", "z"}}},
          "properties = \"order.cc\"");
  EXPECT_GE(compare(), 1);
  EXPECT_EQ(search("dpor").bugs.size(), 1U);
}

// Some steps of each of three nodes, drawn by chance.
std::vector<Member> drawn_cluster(std::mt19937& random) {
  const auto below = [&random](std::size_t bound) { return random() % bound; };
  static const Words names = {"a", "b", "c"};
  static const Words steps = {"s", "s", "r", "t", "p", "z", "g", "f", "=x", "=yx"};
  std::vector<Member> members;
  const std::size_t clients = below(3);
  for (std::size_t i = 0; i < names.size(); ++i) {
    members.push_back({i + clients < names.size() ? "node" : "client", names[i], {}});
  }
  for (std::size_t left = 3 + below(2); left > 0; --left) {
    Member& member = members[below(members.size())];
    std::string step = steps[below(steps.size())];
    if (step == "s") {
      const std::string to = names[below(names.size())];
      step = "s:" + (to == member.name ? names[(to[0] - 'a' + 1) % 3] : to) + ":" + "xy*"[below(3)];
    }
    member.script.push_back(step);
  }
  return members;
}

TEST_F(NodesReductionTest, FindsTheSameAsDepthFirstSearchInDrawnClusters) {
  std::mt19937 random(7);
  for (int i = 0; i < 14; ++i) {
    const std::vector<Member> members = drawn_cluster(random);
    cluster(members);
    EXPECT_GE(compare(), 1);
    if (!HasFailure()) continue;
    for (const Member& member : members) {
      std::string words;
      for (const std::string& word : member.script) words += " " + word;
      ADD_FAILURE() << member.kind << " " << member.name << words;
    }
    return;
  }
}

// --- Nodes with several threads ---

class ReductionInside : public NodesReductionTest {
 protected:
  // A node: its name, and what each of its threads does (see nodes/threads.cc).
  static void threads(const std::vector<Words>& nodes) {
    const std::string made = program("nodes/threads.cc");
    std::ofstream file(in_folder("cluster.toml"));
    for (const Words& node : nodes) {
      file << "[[node]]\nname = \"" << node[0] << "\"\ncommand = [\"" << made << '"';
      for (std::size_t i = 1; i < node.size(); ++i) file << ", \"" << node[i] << '"';
      file << "]\n";
    }
  }

  static Result inside(const std::string& strategy) {
    return search(strategy, {"--points", "atomic", "--no-minimise", "-n", "5000"});
  }

  // Where a part of the nodes is stuck, traces tell how far the others have come.
  static bool are_traces_known(const Result& result) {
    return std::none_of(result.bugs.begin(), result.bugs.end(), [](const std::string& bug) {
      return bug.find("cannot go on") != std::string::npos;
    });
  }

  // What depth-first search has found, if that has come to an end.
  static Result expect_same(const Words& strategies) {
    const Result all = inside("dfs");
    for (const std::string& strategy : strategies) {
      if (!all.complete) break;
      const Result other = inside(strategy);
      EXPECT_TRUE(other.complete) << strategy;
      if (are_traces_known(all)) {
        EXPECT_EQ(other.traces, all.traces) << strategy;
      }
      EXPECT_EQ(other.bugs, all.bugs) << strategy;
    }
    return all;
  }

  static inline const Words reductions = {"dpor", "bestfirst", "bpor:bound=99"};
};

// A thread that waits for a lock can do nothing before it is given back, but it could have come
// before it was taken.
TEST_F(ReductionInside, SeesThatAnotherThreadCouldHaveLockedFirst) {
  threads({{"one", "abBA", "baAB"}});
  EXPECT_EQ(expect_same(reductions).bugs.size(), 2U);
  EXPECT_EQ(inside("dpor").executions, 6U);
  threads({{"one", "oo", "o", "=221"}});
  EXPECT_EQ(expect_same(reductions).executions, 3U);
  EXPECT_EQ(inside("dpor").executions, 3U);
}

TEST_F(ReductionInside, SeesThatAThreadCouldHaveComeBeforeTheEndOfItsNode) {
  threads({{"one", "main", "o", "oo", "=33"}, {"other", "r"}});
  EXPECT_EQ(expect_same(reductions).bugs.size(), 2U);
  threads({{"one", "xo", "o"}});
  EXPECT_GT(expect_same(reductions).traces, 1U);
}

TEST_F(ReductionInside, SeesWhichThreadCouldHaveReceivedAMessage) {
  threads({{"one", "r", "s"}, {"other", "r", "rs", "=12"}});
  const Result all = expect_same({"dpor", "bestfirst"});
  EXPECT_EQ(all.executions, 22U);
  EXPECT_EQ(inside("dpor").executions, all.traces);
}

// Some letters of each thread, drawn by chance.
Words drawn_threads(std::mt19937& random, const std::string& name) {
  static const Words pieces = {"o", "ao", "A", "aA", "abBA", "baAB", "w", "n", "x", "s", "r"};
  Words node = {name};
  if (random() % 4 == 0) node.push_back("main");
  for (int i = 0; i < 2; ++i) {
    std::string letters;
    for (std::size_t left = 1 + random() % 2; left > 0; --left) {
      letters += pieces[random() % pieces.size()];
    }
    node.push_back(letters);
  }
  return node;
}

TEST_F(ReductionInside, FindsTheSameAsDepthFirstSearchInDrawnNodes) {
  std::mt19937 random(11);
  int complete = 0;
  for (int i = 0; i < 40 && complete < 12; ++i) {
    std::vector<Words> nodes = {drawn_threads(random, "one")};
    if (i % 3 == 0) nodes.push_back({"other", "r"});
    threads(nodes);
    complete += expect_same({"dpor", "bestfirst"}).complete ? 1 : 0;
    if (!HasFailure()) continue;
    for (const Words& node : nodes) {
      std::string words;
      for (const std::string& word : node) words += " " + word;
      ADD_FAILURE() << words;
    }
    return;
  }
  EXPECT_EQ(complete, 12);
}

}  // namespace
}  // namespace ricercar::test
