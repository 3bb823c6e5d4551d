// Several processes that search one cluster: whatever their number, the result is that of one, and
// none of them sees what another one does to files.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class NodesJobs : public ToolTest {
 protected:
  void TearDown() override {
    EXPECT_TRUE(left_behind().empty()) << left_behind().front();
    EXPECT_TRUE(coordinators().empty());
  }

  static Words search_words(const std::string& jobs, const Words& options) {
    Words words = {"run", "--nodes", "cluster.toml", "--jobs",        jobs, "--json",
                   "-",   "--out",   "out",          "--no-minimise", "-s"};
    words.insert(words.end(), options.begin(), options.end());
    return words;
  }

  struct Result {
    int status;
    json summary;  // without times
    json schedule;
  };

  static Result result_of(const Finished& finished) {
    EXPECT_FALSE(finished.timed_out) << finished.error;
    json summary = json::parse(finished.output, nullptr, false);
    EXPECT_FALSE(summary.is_discarded()) << finished.output << finished.error;
    summary.erase("seconds");
    if (summary.contains("strata")) {
      for (json& stratum : summary["strata"]) stratum.erase("seconds");
    }
    std::ifstream schedule(in_folder("out/bug-1.json"));
    return {finished.status, summary, schedule ? json::parse(schedule) : json()};
  }

  static Result search(const std::string& jobs, const Words& options) {
    fs::remove_all(in_folder("out"));
    return result_of(tool(search_words(jobs, options)));
  }

  static void expect_equal(const Result& several, const Result& one) {
    EXPECT_EQ(several.status, one.status) << last();
    EXPECT_EQ(several.summary, one.summary) << last();
    EXPECT_TRUE(several.schedule == one.schedule) << last();
  }

  static Result expect_same(const Words& options) {
    const Result one = search("1", options);
    for (const char* jobs : {"2", "3"}) expect_equal(search(jobs, options), one);
    return one;
  }

  // Whether others have searched, too, is said; but for that the result is that of one.
  static void expect_alone(const Words& options, const std::string& why) {
    const Result one = search("1", options);
    Result several = search("2", options);
    const std::string notes = several.summary["notes"].dump();
    EXPECT_NE(notes.find("one process has searched: " + why), std::string::npos) << last();
    several.summary["notes"] = one.summary["notes"];
    expect_equal(several, one);
  }

  static void write(const std::string& name, const std::string& text) {
    std::ofstream(in_folder(name)) << text;
  }

  // Two clients of a server that keeps a number; `how` they change it.
  static void write_counters(const std::string& how) {
    const std::string server = program("../examples/nodes/counter_server.cc");
    const std::string client = program("../examples/nodes/counter_client.cc");
    write("cluster.toml", node("server", {server}) + node("one", {client, how}, "", "client") +
                              node("two", {client, how}, "", "client"));
  }

  static std::string node(const std::string& name, const Words& command,
                          const std::string& folder = "", const std::string& what = "node") {
    std::string words;
    for (const std::string& word : command) words += (words.empty() ? "\"" : ", \"") + word + "\"";
    const std::string own = folder.empty() ? "" : "folder = \"" + folder + "\"\n";
    return "[[" + what + "]]\nname = \"" + name + "\"\ncommand = [" + words + "]\n" + own;
  }

  // Nodes that write files, crash, and begin again. Without folders all of them are in one.
  static void write_writers(bool have_folders, const std::string& more = "",
                            const std::string& unwanted = "log=ab") {
    const std::string durable = program("nodes/durable.cc");
    for (const char* folder : {"first", "second"}) {
      fs::create_directories(in_folder(folder) + "/below");
      write(std::string(folder) + "/below/kept", "as it was");
    }
    const auto folder = [have_folders](const char* name) { return have_folders ? name : ""; };
    write("cluster.toml", "faults = { crash = 1, restart = 1, disk = 1 }\n" + more +
                              node("careful", {durable, "careful", unwanted}, folder("first")) +
                              node("careless", {durable, "careless", "never"}, folder("second")) +
                              node("one", {durable, "client"}, "", "client"));
  }

  static std::vector<std::string> files() {
    std::vector<std::string> all;
    for (const char* folder : {"first", "second"}) {
      for (const auto& each : fs::recursive_directory_iterator(in_folder(folder)))
        all.push_back(each.path());
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  // What a search keeps beside the cluster file while it runs.
  static std::vector<std::string> left_behind() {
    std::vector<std::string> all;
    for (const auto& each : fs::directory_iterator(in_folder("."))) {
      if (each.path().filename().string().starts_with(".cluster.toml")) all.push_back(each.path());
    }
    return all;
  }

  // Of searches in this folder, with those that guard files, which have sessions of their own.
  static std::vector<pid_t> coordinators() {
    std::vector<pid_t> all;
    for (const auto& each : fs::directory_iterator("/proc")) {
      std::ifstream file(each.path() / "cmdline");
      const std::string words{std::istreambuf_iterator<char>(file), {}};
      const bool is_one = words.find("coordinate-nodes") != std::string::npos &&
                          words.find(fs::canonical(in_folder("."))) != std::string::npos;
      if (is_one) all.push_back(std::stoi(each.path().filename()));
    }
    return all;
  }

  static std::vector<pid_t> guardians() {
    std::vector<pid_t> all = coordinators();
    std::erase_if(all, [](pid_t process) { return ::getsid(process) != process; });
    return all;
  }

  template <typename Condition>
  static bool wait_until(Condition condition) {
    for (int i = 0; i < 500; ++i) {
      if (condition()) return true;
      ::usleep(20'000);
    }
    return false;
  }
};

constexpr const char* shared_strategies[] = {"random", "pos",  "pct:depth=3", "surw",
                                             "rff",    "irs",  "ss",          "dfs",
                                             "pb",     "dpor", "bpor",        "portfolio"};

TEST_F(NodesJobs, TheFirstBugIsTheSameAndReplays) {
  write_counters("set");
  for (const std::string strategy : shared_strategies) {
    const Result result = expect_same({strategy, "-n", "400"});
    if (result.status == 1) expect(tool({"replay", "out/bug-1.json"}), 1, {"assertion"});
  }
}

TEST_F(NodesJobs, AClusterWithoutABugIsSearchedAsByOne) {
  write_counters("add");
  for (const std::string strategy : shared_strategies) {
    const Result result = expect_same({strategy, "-n", "300"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.summary["executions"], 300);
  }
}

TEST_F(NodesJobs, AllBugsAreTheSame) {
  write_counters("set");
  for (const std::string strategy : {"random", "dfs"})
    expect_same({strategy, "-n", "1500", "--keep-going"});
}

// An exhaustive search comes to its end, and says the same of what it has left out.
TEST_F(NodesJobs, EverythingIsCoveredOnce) {
  const std::string datagrams = program("nodes/datagrams.cc");
  std::string cluster = node("receiver", {datagrams, "receive", "4"});
  for (const char* name : {"one", "two", "three", "four"})
    cluster += node(name, {datagrams, "send", name}, "", "client");
  write("cluster.toml", cluster);
  for (const std::string strategy : {"dfs", "dpor"}) {
    const Result result = expect_same({strategy});
    EXPECT_EQ(result.summary["complete"], true);
    EXPECT_EQ(result.summary["executions"], strategy == "dfs" ? 9768 : 5424);
  }
}

// Each process has copies of the folders: what one of them changes, no other one sees.
TEST_F(NodesJobs, FilesOfNodesAreCopiedAndStayAsTheyWere) {
  write_writers(true);
  const std::vector<std::string> before = files();
  for (const std::string strategy : {"random", "pos", "dfs"}) {
    const Result result = expect_same({strategy, "-n", "600", "--keep-going"});
    EXPECT_TRUE(result.summary["notes"].empty()) << result.summary["notes"];
    EXPECT_EQ(files(), before);
  }
}

TEST_F(NodesJobs, ABugInFilesReplaysByOneProcess) {
  write_writers(true);
  const Result result = expect_same({"random", "-n", "3000"});
  EXPECT_EQ(result.status, 1);
  expect(tool({"replay", "out/bug-1.json"}), 1, {"assertion"});
}

// --- What only one may do ---

TEST_F(NodesJobs, FilesThatAreNotCopiedAreChangedByOne) {
  write_writers(false);
  expect_alone({"random", "-n", "300", "--keep-going"},
               "the nodes change files outside of folders");
  write_writers(true);
  fs::create_hard_link(in_folder("first/below/kept"), in_folder("another_name"));
  expect_alone({"random", "-n", "300", "--keep-going"}, "the nodes change files");
  fs::remove(in_folder("another_name"));
  EXPECT_EQ(files().size(), 4U);
}

// At a name that has no file; and at one in a folder that is copied.
TEST_F(NodesJobs, NodesThatMeetInTheKernelAreSearchedByOneUnlessThatIsCopied) {
  fs::create_directories(in_folder("first"));
  const std::string unix_sockets = program("nodes/unix_sockets.cc");
  for (const std::string way : {"letter", "both"}) {
    write("cluster.toml", node("server", {unix_sockets, way, "server"}, "first") +
                              node("one", {unix_sockets, way, "one"}, "first", "client") +
                              node("two", {unix_sockets, way, "two"}, "first", "client"));
    const Words options = {"random", "-n", "200"};
    if (way == "letter") {
      expect_alone(options, "the nodes change files outside");
    } else {
      EXPECT_TRUE(expect_same(options).summary["notes"].empty());
    }
  }
}

TEST_F(NodesJobs, WhatCannotBeSharedOutIsSaid) {
  write_counters("add");
  expect_alone({"mixed", "-n", "50"}, "the strategy mixed cannot be shared out for nodes");
  expect_alone({"coverage", "-n", "50"}, "the strategy coverage cannot be shared out for nodes");
  write_writers(true, "clean_up = [\"/bin/true\"]\n");
  expect_alone({"random", "-n", "50"},
               "what the clean-up command of the cluster does is not known");
}

// --- Ends that nobody has planned ---

TEST_F(NodesJobs, AWorkerThatIsKilledLosesNothing) {
  write_writers(true);
  const std::vector<std::string> before = files();
  const Words options = {"pos", "-n", "9000", "--keep-going"};
  const Result one = search("1", options);
  Process search(command(search_words("2", options)));
  ASSERT_TRUE(wait_until([] { return guardians().size() >= 2; }));
  for (int i = 0; i < 2; ++i) {
    ::usleep(300'000);
    std::vector<pid_t> workers = coordinators();
    std::erase_if(workers, [](pid_t process) { return ::getsid(process) == process; });
    ASSERT_FALSE(workers.empty()) << "it was over too soon";
    ::kill(workers.front(), SIGKILL);
  }
  expect_equal(result_of(search.wait()), one);
  EXPECT_EQ(files(), before);
}

TEST_F(NodesJobs, InterruptingEndsAllOfThem) {
  write_writers(true, "", "never");
  const std::vector<std::string> before = files();
  Process search(command(search_words("2", {"random", "--time", "60", "--keep-going"})));
  ASSERT_TRUE(wait_until([] { return coordinators().size() >= 2; }));
  ::usleep(300'000);
  search.signal_group(SIGINT);
  const Finished finished = search.wait();
  EXPECT_EQ(finished.status, 130) << finished.output << finished.error;
  EXPECT_EQ(files(), before);
}

// The copies are left, and the next search removes them.
TEST_F(NodesJobs, ASearchThatIsKilledChangesNothing) {
  write_writers(true);
  const std::vector<std::string> before = files();
  Process search(command(search_words("2", {"random", "--time", "60", "--keep-going"})));
  ASSERT_TRUE(wait_until([] { return coordinators().size() >= 2; }));
  ::usleep(300'000);
  search.signal(SIGKILL);
  search.wait();
  ASSERT_TRUE(wait_until([] { return coordinators().empty(); }));
  EXPECT_EQ(files(), before);
  EXPECT_EQ(left_behind().size(), 1U);
  expect_same({"random", "-n", "100"});
}

}  // namespace
}  // namespace ricercar::test
