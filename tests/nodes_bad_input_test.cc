// What goes wrong with a cluster, besides its file: a search says what it was and keeps what it has
// found, files are as they were, and no process is left.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/tiny_disk.h"
#include "support/tool.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

class NodesBadInput : public ToolTest {
 protected:
  // A node: its name and its arguments. `top`: what stands above the nodes.
  static void cluster(const std::vector<Words>& nodes, const std::string& top = "") {
    const std::string bad = program("nodes/bad.cc");
    std::ofstream file(in_folder("cluster.toml"));
    file << top << '\n';
    for (const Words& node : nodes) {
      file << "[[node]]\nname = \"" << node[0] << "\"\ncommand = [\"" << bad << '"';
      for (std::size_t i = 1; i < node.size(); ++i) file << ", \"" << node[i] << '"';
      file << "]\n";
    }
  }

  static void judge_and_askers(const std::string& top = "") {
    cluster({{"judge", "judges"}, {"one", "asks", "one"}, {"two", "asks", "two"}}, top);
  }

  static Words search_words(const Words& options) {
    fs::remove_all(in_folder("out"));
    Words words = {"run", "--out", "out", "--nodes", "cluster.toml"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }
  static Finished search(const Words& options) { return tool(search_words(options)); }

  static void script(const std::string& name, const std::string& text) {
    std::ofstream(in_folder(name)) << "#!/bin/sh\n" << text;
    fs::permissions(in_folder(name), fs::perms::owner_all);
  }

  // Processes of programs in the folder of this test.
  static std::vector<std::string> processes() {
    std::vector<std::string> all;
    for (const fs::directory_entry& each : fs::directory_iterator("/proc")) {
      std::ifstream file(each.path() / "cmdline");
      const std::string words(std::istreambuf_iterator<char>(file), {});
      if (words.starts_with(in_folder(""))) all.push_back(words);
    }
    return all;
  }

  static bool comes(const std::string& file) {
    for (int i = 0; i < 1000; ++i) {
      if (fs::exists(in_folder(file))) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
};

TEST_F(NodesBadInput, ANodeThatEndsAtOnceIsNamed) {
  cluster({{"hasty", "ends"}});
  expect(search({"-n", "3"}), 0, {"the node 'hasty' ended in every execution without having sent"});
  judge_and_askers();
  const Finished finished = search({"-n", "1"});
  EXPECT_EQ(finished.output.find("in every execution"), std::string::npos) << last();
}

TEST_F(NodesBadInput, AHostOutsideIsNamedWithTheLineThatAsksForIt) {
  cluster({{"asker", "outside"}});
  expect(
      search({"-n", "3"}), 0,
      {"asks for the address of a host that is not in the cluster ('www.example.com')", "bad.cc:"});
}

TEST_F(NodesBadInput, AnAddressOutsideIsNamedWithTheLineThatConnectsToIt) {
  cluster({{"caller", "abroad"}});
  expect(search({"-n", "3"}), 0, {"with an address outside the cluster", "bad.cc:"});
}

TEST_F(NodesBadInput, APortThatANodeBindsTwiceIsTaken) {
  cluster({{"greedy", "binds"}});
  expect(search({"-n", "3"}), 1, {"assertion: greedy: ", "bind(number", "net.h:34"});
}

// Both are there: with dfs the first asker comes first.
TEST_F(NodesBadInput, WhatWasFoundBeforeANodeForksIsSaved) {
  judge_and_askers();
  expect(search({"-k", "--strategy", "dfs"}), 1,
         {"exit: judge: the program ended with status 3", "1 bug found",
          "the node 'judge': the program calls fork() at ", "keeps them in the foreground"});
  expect(tool({"replay", "-n", "3", "out/bug-1.json"}), 1, {"3 of 3 replays showed the bug"});
}

TEST_F(NodesBadInput, WhatWasExploredBeforeTheCleanUpFailsIsTold) {
  script("clean", "echo x >> cleaned\n[ $(wc -l < cleaned) -lt 4 ]\n");
  cluster({{"one", "ends"}}, "clean_up = [\"./clean\"]");
  expect(search({"--strategy", "random", "--json", "summary.json"}), 2,
         {"the search could not be finished", "explored    3 executions", "the clean-up command (",
          "/clean) ended with status 1"});
  std::ifstream file(in_folder("summary.json"));
  EXPECT_EQ(nlohmann::json::parse(file)["executions"], 3);
}

TEST_F(NodesBadInput, WhatCannotBeReplayedBecauseTheCleanUpFailsIsNoBug) {
  script("clean", "echo x >> cleaned_once\n[ $(wc -l < cleaned_once) -lt 2 ]\n");
  judge_and_askers("clean_up = [\"./clean\"]");
  expect(search({"--strategy", "dfs"}), 2,
         {"is not counted as a bug: the schedule could not be replayed: the clean-up command"});
  EXPECT_TRUE(fs::exists(in_folder("out/unconfirmed-1.json")));
}

// The clean-up makes the first execution another one than all that follow.
TEST_F(NodesBadInput, ASearchGoesOnAfterWhatDidNotComeAgain) {
  script("clean", "echo x >> measured\n");
  cluster({{"one", "measures", "measured"}, {"two", "ends"}}, "clean_up = [\"./clean\"]");
  expect(search({"--strategy", "dfs"}), 3,
         {"no reproducible bug found, but the program is not deterministic",
          "exit at execution 1 is not counted as a bug"});
}

TEST_F(NodesBadInput, ACleanUpThatDoesNotEndIsEnded) {
  script("clean", "exec sleep 60\n");
  cluster({{"one", "ends"}}, "clean_up = [\"./clean\"]");
  expect(search({"--hang", "1"}), 2, {"the clean-up command (", "did not end in time (--hang"});
}

// Two gigabytes of what was there before can be kept.
TEST_F(NodesBadInput, AFileThatCannotBePutBackIsNotChanged) {
  std::ofstream(in_folder("large")) << "what was there";
  fs::resize_file(in_folder("large"), std::uintmax_t{3} << 30);
  cluster({{"one", "empties", "large"}});
  expect(search({}), 2, {"the node 'one': the program changes '", "large'", "is as it was"});
  EXPECT_EQ(fs::file_size(in_folder("large")), std::uintmax_t{3} << 30);
  std::string begin(14, ' ');
  std::ifstream(in_folder("large")).read(begin.data(), 14);
  EXPECT_EQ(begin, "what was there");
  fs::remove(in_folder("large"));
}

TEST_F(NodesBadInput, AnInterruptedSearchLeavesNoProcessAndNoFile) {
  cluster({{"one", "writes", "endless"}});
  Process searching(command(search_words({"--strategy", "random", "-n", "1000000"})));
  EXPECT_TRUE(comes("endless"));
  searching.signal_group(SIGINT);
  expect(searching.wait(), 130, {"before the interruption"});
  EXPECT_FALSE(fs::exists(in_folder("endless")));
  EXPECT_TRUE(processes().empty()) << processes().front();
}

// Its process, not that of the tool whose arguments name it.
pid_t process_with(const std::string& program, const std::string& words) {
  for (const fs::directory_entry& each : fs::directory_iterator("/proc")) {
    std::ifstream file(each.path() / "cmdline");
    std::string line(std::istreambuf_iterator<char>(file), {});
    std::replace(line.begin(), line.end(), '\0', ' ');
    if (line.starts_with(program + " " + words)) return std::stoi(each.path().filename());
  }
  return 0;
}

// With and without a bug that was found before, and however often.
TEST_F(NodesBadInput, ANodeThatIsKilledEndsTheSearchAndItsResultsAreKept) {
  for (const bool has_bug : {true, false}) {
    std::ofstream(in_folder("endless")) << "what was there";
    std::vector<Words> nodes = {{"victim", "writes", "endless"}};
    if (has_bug) {
      nodes.insert(nodes.end(), {{"judge", "judges", "calmly"}, {"one", "asks", "one"}});
    }
    cluster(nodes);
    Process searching(command(search_words({"--strategy", "random", "-k", "--steps", "200",
                                            "--json", "killed.json", "--no-minimise"})));
    for (int i = 0; i < 1000 && text_of(in_folder("endless")) == "what was there"; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    std::this_thread::sleep_for(std::chrono::seconds(1));  // for some executions
    const pid_t victim = process_with(fs::canonical(in_folder("bad")), "writes endless");
    ASSERT_NE(victim, 0);
    EXPECT_EQ(::kill(victim, SIGKILL), 0);
    expect(searching.wait(), has_bug ? 1 : 2,
           {has_bug ? "1 bug found" : "the search could not be finished",
            "error       the node 'victim' was killed by"});
    const nlohmann::json summary = nlohmann::json::parse(text_of(in_folder("killed.json")));
    EXPECT_GT(summary["executions"], 0);
    EXPECT_FALSE(summary["complete"]);
    EXPECT_EQ(summary["bugs"].size(), has_bug ? 1U : 0U);
    EXPECT_EQ(text_of(in_folder("endless")), "what was there");
    EXPECT_TRUE(processes().empty()) << processes().front();
    fs::remove(in_folder("endless"));
    if (has_bug) expect(tool({"replay", "-q", "out/bug-1.json"}), 1, {});
  }
}

TEST_F(NodesBadInput, ABugIsToldThoughTheDiskIsFull) {
  judge_and_askers();
  const TinyDisk disk(in_folder("disk"));
  if (!disk.is_there()) GTEST_SKIP() << "only root may mount a small file system";
  expect(tool({"run", "--out", "disk/out", "--strategy", "dfs", "--nodes", "cluster.toml"}), 1,
         {"exit: judge", "No space left", "disk/out/bug-1"});
}

// --- Documents ---

// The fields that a complaint lists: "(there are: node, client)".
std::vector<std::string> listed_fields(const std::string& complaint) {
  const std::string begin = "(there are: ";
  const std::size_t at = complaint.find(begin);
  if (at == std::string::npos) return {};
  std::istringstream list(complaint.substr(at + begin.size()));
  std::vector<std::string> fields;
  for (std::string word; list >> word;) {
    const bool is_last = word.find(')') != std::string::npos;
    fields.push_back(word.substr(0, word.find_first_of(",)")));
    if (is_last) break;
  }
  return fields;
}

TEST_F(NodesBadInput, EveryFieldOfAClusterFileIsInTheGuide) {
  const std::string guide = text_of(RICERCAR_TESTS "/../docs/guide/nodes.md");
  const std::string node = "[[node]]\nname = \"a\"\ncommand = [\"./bad\"]\n";
  program("nodes/bad.cc");
  std::size_t count = 0;
  for (const std::string& text :
       {"x = 1\n" + node, node + "x = 1\n", "faults = { x = 1 }\n" + node}) {
    std::ofstream(in_folder("cluster.toml")) << text;
    const std::vector<std::string> fields = listed_fields(search({}).error);
    count += fields.size();
    for (const std::string& field : fields) {
      const bool is_told = guide.find("| `" + field + "` |") != std::string::npos ||
                           guide.find("| `[[" + field + "]]` |") != std::string::npos;
      EXPECT_TRUE(is_told) << field;
    }
  }
  EXPECT_EQ(count, 9u + 4u + 10u);
}

// Each call in the first column is one that the runtime stands in front of.
TEST_F(NodesBadInput, EveryCallOfTheReferenceHasAHook) {
  Command list;
  const std::string library = fs::path(RICERCAR_TOOL).parent_path() / "../lib/libricercar.so";
  list.words = {"/bin/sh", "-c", "nm -D --defined-only " + library + " | awk '{ print $3 }'"};
  std::istringstream words(run(list).output);
  const std::set<std::string> hooks{std::istream_iterator<std::string>(words), {}};
  std::ifstream page(RICERCAR_TESTS "/../docs/reference/nodes-calls.md");
  std::size_t count = 0;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| `")) continue;
    std::istringstream names(line.substr(2, line.find(" |", 2) - 2));
    for (std::string name; std::getline(names, name, '`');) {
      const bool is_name = !name.empty() && std::islower(static_cast<unsigned char>(name[0])) != 0;
      if (!is_name || name.find(' ') != std::string::npos) continue;
      EXPECT_TRUE(hooks.contains(name)) << name;
      ++count;
    }
  }
  EXPECT_GT(count, 100u);
}

}  // namespace
}  // namespace ricercar::test
