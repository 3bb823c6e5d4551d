// Sockets of nodes: addresses of version 6, what is closed while somebody waits for it, sockets in
// the file system; and what else a node may call.
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class NodesSockets : public ToolTest {
 protected:
  // Two nodes, `program [way] server` and `program [way] client`.
  static void server_and_client(const std::string& program, const std::string& way = "",
                                const std::string& top = "") {
    std::ofstream file(in_folder("cluster.toml"));
    file << top << "\n";
    for (const char* name : {"server", "client"}) {
      file << "[[node]]\nname = \"" << name << "\"\ncommand = [\"" << program << "\", "
           << (way.empty() ? "" : "\"" + way + "\", ") << '"' << name << "\"]\n";
    }
  }

  static Finished search(const Words& options) {
    Words words = {"run", "--out", "out", "--nodes", "cluster.toml"};
    words.insert(words.end(), options.begin(), options.end());
    return tool(words);
  }
};

TEST_F(NodesSockets, ReachOtherNodesByAddressesOfVersion6) {
  server_and_client(program("nodes/version_6.cc"));
  expect(search({"--strategy", "random", "-n", "60"}), 0, {"no bug found"});
  expect(search({"-n", "60"}), 0, {"no bug found"});
}

// The same program does the same without Ricercar.
class Closes : public NodesSockets, public testing::WithParamInterface<const char*> {};

TEST_P(Closes, WhileAnotherThreadWaitsAsInLinux) {
  server_and_client(program("nodes/closes.cc"), GetParam(), "early_timeouts = 0");
  expect(search({"--strategy", "random", "-n", "60"}), 0, {"no bug found"});
  expect(search({"--strategy", "random", "--points", "sync", "-n", "60"}), 0, {"no bug found"});
}

INSTANTIATE_TEST_SUITE_P(Ways, Closes, testing::Values("recv", "accept", "shutdown", "pipe"));

// --- Unix-domain sockets ---

class UnixSockets : public NodesSockets {
 protected:
  static void meeting(const std::string& way, const Words& clients, const std::string& top = "") {
    const std::string sockets = program("nodes/unix_sockets.cc");
    std::ofstream file(in_folder("cluster.toml"));
    file << top << "\n[[node]]\nname = \"server\"\ncommand = [\"" << sockets << "\", \"" << way
         << "\", \"server\"]\n";
    for (const std::string& name : clients) {
      file << "[[client]]\nname = \"" << name << "\"\ncommand = [\"" << sockets << "\", \"" << way
           << "\", \"" << name << "\"]\n";
    }
  }

  static nlohmann::json summary_of(const std::string& strategy) {
    expect(search({"--strategy", strategy, "-k", "--no-minimise", "--json", "summary.json"}), 0,
           {});
    std::ifstream file(in_folder("summary.json"));
    return nlohmann::json::parse(file);
  }
};

TEST_F(UnixSockets, TheOrderOfTwoNodesIsAChoice) {
  meeting("stream", {"one", "two"});
  expect(search({}), 1, {"assertion: server: ", "unix_sockets.cc:"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
  EXPECT_FALSE(std::filesystem::exists(in_folder("meeting")));
}

TEST_F(UnixSockets, NothingIsLeftOfThemInTheNextExecution) {
  for (const char* way : {"both", "letter"}) {
    meeting(way, {"one", "two"});
    expect(search({"--strategy", "random", "-n", "60"}), 0, {"no bug found"});
    expect(search({"-n", "60"}), 0, {"no bug found"});
  }
}

TEST_F(UnixSockets, ReductionsSeeEveryOrder) {
  meeting("both", {"one", "two"});
  const nlohmann::json all = summary_of("dfs");
  EXPECT_TRUE(all["complete"]);
  for (const char* strategy : {"dpor", "ses", "bpor:bound=99"}) {
    const nlohmann::json other = summary_of(strategy);
    EXPECT_TRUE(other["complete"]) << strategy;
    EXPECT_EQ(other["distinct_traces"], all["distinct_traces"]) << strategy;
    EXPECT_LE(other["executions"], all["executions"]) << strategy;
  }
}

TEST_F(UnixSockets, EndWithTheNodeThatCrashes) {
  meeting("gone", {"one"});
  expect(search({"--strategy", "random", "-n", "60"}), 0, {"no bug found"});
  meeting("gone", {"one"}, "faults = { crash = 1 }");
  expect(search({"--strategy", "random", "-n", "1000"}), 1,
         {"server CRASHES", "assertion: one: ", "unix_sockets.cc:"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

// --- What else a node calls ---

class KernelCalls : public NodesSockets, public testing::WithParamInterface<const char*> {};

TEST_P(KernelCalls, GoAsInLinux) {
  const std::string calls = program("nodes/kernel_calls.cc");
  std::filesystem::create_directory(in_folder("own"));
  std::ofstream(in_folder("cluster.toml"))
      << "early_timeouts = 0\n[[node]]\nname = \"one\"\nfolder = \"own\"\ncommand = [\"" << calls
      << "\", \"" << GetParam() << "\"]\n";
  expect(search({"--strategy", "random", "-n", "40"}), 0, {"no bug found"});
  expect(search({"--strategy", "random", "--points", "sync", "-n", "40"}), 0, {"no bug found"});
  EXPECT_TRUE(std::filesystem::is_empty(in_folder("own")));
}

INSTANTIATE_TEST_SUITE_P(Ways, KernelCalls,
                         testing::Values("descriptors", "timers", "messages", "files", "identity"));

// --- What the kernel keeps under a name ---

class KernelObjects : public NodesSockets {
 protected:
  void SetUp() override { leave_nothing(); }
  void TearDown() override { leave_nothing(); }

  static void meet(const std::string& way, const Words& writers) {
    const std::string objects = program("nodes/kernel_objects.cc");
    std::ofstream file(in_folder("cluster.toml"));
    Words all = {"reader"};
    all.insert(all.end(), writers.begin(), writers.end());
    for (const std::string& name : all) {
      file << "[[node]]\nname = \"" << name << "\"\ncommand = [\"" << objects << "\", \"" << way
           << "\", \"" << name << "\", \"" << key() << "\"]\n";
    }
  }

 private:
  static int key() { return ::getpid(); }

  // The queues are not put back.
  static void leave_nothing() {
    const std::string name = "/" + std::to_string(key());
    ::mq_unlink(name.c_str());
    ::msgctl(::msgget(key(), 0), IPC_RMID, nullptr);
    ::shmctl(::shmget(key(), 0, 0), IPC_RMID, nullptr);
    EXPECT_FALSE(std::filesystem::exists("/dev/shm/sem." + std::to_string(key())));
  }
};

TEST_F(KernelObjects, APipeOfTwoNodesIsAPointOfTheSearch) {
  meet("stream", {"one"});
  expect(search({"--strategy", "dfs"}), 0, {"nothing is left to explore"});
  meet("pipe", {"one", "two"});
  expect(search({"--strategy", "random", "-n", "200"}), 0, {"no bug found"});
  meet("first", {"one", "two"});
  expect(search({}), 1, {"assertion: reader: ", "calls open() at ", "kernel_objects.cc:"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
  EXPECT_FALSE(std::filesystem::exists(in_folder("pipe")));
}

TEST_F(KernelObjects, WhoWaitsGoesOnAndTheObjectIsNamed) {
  for (const auto& [way, what] : {std::pair{"semaphore", "opens a named semaphore"},
                                  {"queue", "opens a message queue"},
                                  {"messages", "opens a message queue"},
                                  {"memory", "opens memory that several processes share"},
                                  {"locks", "makes locks for several processes"}}) {
    meet(way, {"one", "two"});
    for (const char* strategy : {"dfs", "dpor"}) {
      expect(search({"--strategy", strategy, "-n", "300"}), 0,
             {"no bug found in what is modelled", what, "kernel_objects.cc:"});
    }
  }
}

// A semaphore is made anew in each execution.
TEST_F(KernelObjects, NobodyWaitsForWhatNobodyGives) {
  meet("semaphore", {"one"});
  expect(search({"--strategy", "random"}), 1, {"deadlock"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
}

}  // namespace
}  // namespace ricercar::test
