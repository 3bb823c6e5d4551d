// The world of nodes from the outside: several processes under one schedule.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class NodesTest : public ToolTest {
 protected:
  // A line of a cluster: "node server ./counter_server", with arguments.
  static void cluster(const std::vector<Words>& nodes, const std::string& faults = "",
                      const std::string& more = "") {
    std::ofstream file(in_folder("cluster.toml"));
    file << more << "\n";
    if (!faults.empty()) file << "faults = { " << faults << " }\n";
    for (const Words& node : nodes) {
      file << "[[" << node[0] << "]]\nname = \"" << node[1] << "\"\ncommand = [";
      for (std::size_t i = 2; i < node.size(); ++i) {
        file << (i == 2 ? "" : ", ") << '"' << node[i] << '"';
      }
      file << "]\n";
    }
  }

  static Finished search(const Words& options) {
    std::filesystem::remove_all(in_folder("out"));
    Words words = {"run", "--out", "out", "--nodes", "cluster.toml"};
    words.insert(words.end(), options.begin(), options.end());
    return tool(words);
  }
};

// What gdb says when these lines are typed, with one node under it.
class InTheDebugger : public NodesTest {
 protected:
  void SetUp() override {
    if (std::system("gdb --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no gdb";
  }
  static Finished debug(const std::string& node, const std::string& lines) {
    Command line;
    line.words = {
        "/bin/sh", "-c",
        "printf '" + lines + "' | " RICERCAR_TOOL " replay --gdb " + node + " out/bug-1.json"};
    line.folder = in_folder("");
    return run(line);
  }
};

TEST_F(InTheDebugger, ANodeStopsBeforeTheBugAndTheOthersWait) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}});
  // A person thinks for longer than --hang allows a program to.
  const Finished found = search({"--hang", "1", "--no-minimise"});
  expect(found, 1, {"assertion: "});
  const bool is_one = found.output.find("assertion: one") != std::string::npos;
  expect(debug(is_one ? "one" : "two", "shell sleep 6\\ncontinue\\nbacktrace\\nquit\\n"), 0,
         {"SIGTRAP", "* thread 1 (T0): ", "net.h:65", "Execution::fail", "counter_client.cc:31"});
  expect(debug("server", "continue\\nquit\\n"), 0,
         {"SIGTRAP", "thread 1 (T0): main at ", "thread 2 (T1): ", "exited normally"});
  expect(debug("--switch 2 server", "ricercar-prev-switch\\nricercar-next-switch\\nquit\\n"), 0,
         {"up to its switch 2", "ricercar: switch 2\n", "replay up to it: --switch 1",
          "ricercar: switch 3\n"});
  expect(debug("--switch 1 server", "ricercar-prev-switch\\nquit\\n"), 0,
         {"ricercar: switch 1\n", "There is no switch before this one."});
  expect(tool({"replay", "--gdb", "out/bug-1.json"}), 2, {"say which node", "server, one and two"});
  expect(tool({"replay", "--gdb", "three", "out/bug-1.json"}), 2, {"there is no node 'three'"});
  expect(tool({"replay", "one", "out/bug-1.json"}), 2, {"name one file"});
  expect(tool({"replay", "--switch", "1", "out/bug-1.json"}), 2,
         {"--switch is for a node under gdb"});
}

TEST_F(InTheDebugger, ANodeThatBeginsAgainDoesSoInTheSameProcess) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server}, {"client", "one", client, "keeps"}},
          "crash = 1, restart = 1");
  expect(search({}), 1, {"STARTS AGAIN", "assertion"});
  expect(debug("server", "continue\\nquit\\n"), 0, {"SIGTRAP", "exited normally"});
}

// At the end of the execution its process is not fit for another one; gdb must not end with it.
TEST_F(InTheDebugger, ANodeThatNeedsANewProcessEndsBeforeTheDebugger) {
  const std::string one = program("nodes/new_process.c"), wrong = program("nodes/wrong.cc");
  cluster({{"node", "one", one}, {"client", "two", wrong, "port"}});
  expect(search({"--no-minimise"}), 1, {"exit: two"});
  const Finished seen = debug("one", "continue\\necho still here\\nquit\\n");
  expect(seen, 0, {"exited normally", "still here"});
}

// --- Orders of messages ---

TEST_F(NodesTest, FindsWhatNeedsAnOrderOfMessagesAndReplaysIt) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}});
  for (const char* strategy : {"mixed", "random", "pct", "pos"}) {
    expect(search({"--strategy", strategy}), 1,
           {"assertion", "counter_client.cc:", "server  gets", "\"set 1\"", "calls recv()",
            "has failed"});
  }
  expect(tool({"replay", "-n", "20", "out/bug-1.json"}), 1,
         {"20 of 20 replays showed the bug (assertion) on the same trace"});
}

TEST_F(NodesTest, TheGuidesPropertyIsViolated) {
  program("../examples/nodes/counter_server.cc");
  program("../examples/nodes/counter_client.cc");
  for (const char* file : {"checked.toml", "counter_properties.cc"}) {
    std::filesystem::copy(std::string(RICERCAR_TESTS) + "/../examples/nodes/" + file,
                          in_folder(file));
  }
  expect(tool({"run", "--out", "out", "--nodes", "checked.toml"}), 1,
         {"'every change counts' does not hold: server.number = 1, server.changes = 2"});
}

TEST_F(NodesTest, FindsNothingWhereThereIsNothing) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server},
           {"client", "one", client, "add"},
           {"client", "two", client, "keeps"}});
  for (const char* strategy : {"mixed", "random", "pct"}) {
    expect(search({"--strategy", strategy, "-n", "150"}), 0, {"no bug found"});
  }
}

TEST_F(NodesTest, IsSteeredByTheCodeThatActionsRunThrough) {
  program("../examples/nodes/counter_client.cc");
  const std::string source = std::string(RICERCAR_TESTS) + "/../examples/nodes/counter_server.cc";
  for (const char* compiler : {"--coverage", "--clang"}) {
    const Words last = {"-std=c++20", "-O1", source, "-o", "covered"};
    Words words = {"c++", compiler};
    if (compiler == std::string("--clang")) words.push_back("--coverage");
    words.insert(words.end(), last.begin(), last.end());
    expect(tool(words), 0, {});
    cluster({{"node", "server", "./covered"},
             {"client", "one", "./counter_client", "set"},
             {"client", "two", "./counter_client", "set"}});
    for (const char* score : {"unique", "frequency", "node-frequency"}) {
      expect(search({"--strategy", std::string("coverage:score=") + score}), 1,
             {"assertion", "blocks covered: "});
    }
    expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
  }
  cluster({{"node", "server", program("../examples/nodes/counter_server.cc")},
           {"client", "one", "./counter_client", "add"}});
  expect(search({"--strategy", "coverage", "-n", "20"}), 0,
         {"no block was reported: compile with `ricercar c++ --coverage`"});
}

// However the calls with which blocks begin are linked, all of them are found: as many as a
// disassembler finds, but for the one in what the compiler adds itself.
TEST_F(NodesTest, CountsTheBlocksOfProgramsHoweverTheyAreLinked) {
  cluster({{"node", "alone", "./aborts"}});
  for (const Words& options :
       {Words{"--coverage"}, Words{"--coverage", "-fno-plt", "-O2"},
        Words{"--coverage", "-no-pie", "-Wl,-z,ibtplt"}, Words{"--clang", "--coverage", "-O1"}}) {
    Words words = {"cc"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {RICERCAR_TESTS "/nodes/abort_at_once.c", "-o", "aborts"});
    expect(tool(words), 0, {});
    expect(search({}), 1, {"abort() was called"});
    Command count;
    count.words = {"/bin/sh", "-c", "objdump -d aborts | grep -c 'call.*__sanitizer_cov_trace_pc'"};
    count.folder = in_folder("");
    const int calls = std::stoi(run(count).output) - (options[0] == "--clang" ? 0 : 1);
    expect(tool({"coverage", "--json", "out/bug-1.json"}), 0,
           {"ricercar.blocks/1", "\"blocks\": " + std::to_string(calls) + ",",
            "\"function\": \"main\""});
  }
}

TEST_F(NodesTest, SaysWhichNodeCoversWhichBlocks) {
  expect(tool({"c++", "--coverage", "-std=c++20", "-O1",
               RICERCAR_TESTS "/../examples/nodes/counter_server.cc", "-o", "covered"}),
         0, {});
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", "./covered"},
           {"node", "idle", "./covered"},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}});
  expect(search({}), 1, {"assertion"});
  expect(tool({"coverage", "--html", "blocks.html", "out/bug-1.json"}), 0,
         {"assertion: ", "  server  ", "  idle    ", "  one     was compiled without --coverage",
          "counter_server.cc", "Lines of which no block was covered"});
  std::ifstream file(in_folder("blocks.html"));
  const std::string page(std::istreambuf_iterator<char>(file), {});
  // One of them has two clients, with three requests each, and both wait for another one.
  EXPECT_NE(page.find("server 3, idle 1</td><td class=\"source\">  for (;;) std::thread(serve"),
            std::string::npos)
      << page;
  EXPECT_NE(page.find("server 6</td><td class=\"source\">  if (request == &quot;add&quot;)"),
            std::string::npos)
      << page;
  expect(tool({"coverage", "out/none.json"}), 2, {"out/none.json"});
  cluster({{"node", "server", program("../examples/nodes/counter_server.cc")},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}});
  expect(search({}), 1, {"assertion"});
  expect(tool({"coverage", "out/bug-1.json"}), 2,
         {"compile them with `ricercar c++ --coverage`, and search again"});
}

TEST_F(NodesTest, RecordsAnExecutionToBeginWith) {
  expect(tool({"c++", "--coverage", "-std=c++20", "-O1",
               RICERCAR_TESTS "/../examples/nodes/counter_server.cc", "-o", "covered"}),
         0, {});
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", "./covered"},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}},
          "crash = 1");
  expect(tool({"record", "--nodes", "cluster.toml", "-o", "seed.json"}), 0,
         {"which ended with ok: seed.json"});
  expect(tool({"info", "seed.json"}), 0, {"No fault was injected"});
  expect(tool({"coverage", "seed.json"}), 0, {"server  "});
  expect(tool({"replay", "-n", "3", "seed.json"}), 0, {"3 of 3 replays"});
  expect(search({"--strategy", "coverage", "--seed-schedule", "seed.json", "-n", "1"}), 0,
         {"executions: 1, the first one as recorded ("});
  expect(search({"--strategy", "coverage", "--seed-schedule", "seed.json"}), 1, {"assertion"});
  expect(search({"--strategy", "random", "--seed-schedule", "seed.json"}), 2,
         {"--strategy coverage --seed-schedule FILE"});
  expect(tool({"record"}), 2, {"ricercar record --nodes cluster.toml"});
  cluster({{"node", "server", "./covered"}, {"client", "one", client, "set"}});
  expect(search({"--strategy", "coverage", "--seed-schedule", "seed.json"}), 2,
         {"recorded with another build"});
}

TEST_F(NodesTest, SearchesTheSameWithTheSameSeed) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server},
           {"client", "one", client, "set"},
           {"client", "two", client, "set"}});
  const auto schedule = [] {
    search({"--strategy", "random", "--seed", "5"});
    std::ifstream file(in_folder("out/bug-1.json"));
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string first = schedule();
  EXPECT_FALSE(first.empty());
  EXPECT_EQ(schedule(), first);
}

// Who does not listen yet gets nothing, and says so.
TEST_F(NodesTest, TheReportOfALostDatagramSaysThatItsSocketWasBoundLater) {
  const std::string datagrams = program("nodes/datagrams.cc");
  cluster({{"node", "sender", datagrams, "send", "text"},
           {"client", "receiver", datagrams, "receive", "1"}});
  expect(search({}), 1,
         {"receiver has no socket for 4 bytes \"text\" from sender:",
          "at receiver:9000, which is lost", "receiver calls bind()", "only after that."});
}

// A loop that only looks at a clock gives way after some looks; this one works in between.
TEST_F(NodesTest, ALookAtAClockAtEachMessageIsNoStep) {
  const std::string datagrams = program("nodes/datagrams.cc");
  const auto steps = [&](const std::string& role) {
    cluster({{"node", "server", datagrams, "answer"}, {"client", "one", datagrams, role, "40"}});
    expect(search({"--strategy", "random", "-n", "1", "--json", "summary.json"}), 0, {});
    std::ifstream file(in_folder("summary.json"));
    return nlohmann::json::parse(file)["steps"].get<int>();
  };
  EXPECT_EQ(steps("measure"), steps("wait"));
}

// A receiver that takes an address and then so many datagrams, senders that send one and end: all
// orders, by recursion. What arrives before there is an address is lost, and then the receiver
// waits for ever.
struct Datagrams {
  int wanted;
  int unsent;
  bool is_bound = false;
  int on_their_way = 0;
  int arrived = 0;
  int taken = 0;

  std::uint64_t orders() const {
    std::uint64_t sum = 0;
    const auto add = [&](int ways, Datagrams next) {
      if (ways > 0) sum += static_cast<std::uint64_t>(ways) * next.orders();
    };
    const int lost = is_bound ? 0 : 1;
    add(is_bound ? 0 : 1, {wanted, unsent, true, on_their_way, arrived, taken});
    add(unsent, {wanted, unsent - 1, is_bound, on_their_way + 1, arrived, taken});
    add(on_their_way, {wanted, unsent, is_bound, on_their_way - 1, arrived + 1 - lost, taken});
    add(arrived > taken ? 1 : 0, {wanted, unsent, is_bound, on_their_way, arrived, taken + 1});
    return sum == 0 ? 1 : sum;
  }
};

TEST_F(NodesTest, CoversEveryOrderOfDatagramsExactlyOnce) {
  const std::string datagrams = program("nodes/datagrams.cc");
  for (const int count : {1, 2}) {
    std::vector<Words> nodes = {{"node", "receiver", datagrams, "receive", std::to_string(count)}};
    for (int i = 0; i < count; ++i) {
      nodes.push_back({"node", "sender" + std::to_string(i), datagrams, "send", "text"});
    }
    cluster(nodes);
    const std::string orders = std::to_string(Datagrams{count, count}.orders());
    expect(search({"--strategy", "dfs", "-k", "-n", "100000"}), 1,
           {"deadlock", "explored    " + orders + " executions"});
  }
}

// Whether or not anybody wants the number in JSON.
TEST_F(NodesTest, SaysHowManyOfTheDrawnExecutionsAreDifferent) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server},
           {"client", "one", client, "add"},
           {"client", "two", client, "add"}});
  const Words options = {"--strategy", "random", "-n", "100"};
  expect(search({"--strategy", "random", "-n", "100", "--json", "summary.json"}), 0, {});
  std::ifstream file(in_folder("summary.json"));
  const int different = nlohmann::json::parse(file)["distinct_traces"];
  EXPECT_GT(different, 10);
  expect(search(options), 0,
         {"traces      " + std::to_string(different) + " different ones in 100"});
}

// --- Ways to wait ---

class Way : public NodesTest, public testing::WithParamInterface<const char*> {};

TEST_P(Way, ToWaitForSeveralSockets) {
  const std::string server = program("nodes/event_loop.cc");
  const std::string talker = program("nodes/talker.cc");
  cluster({{"node", "server", server, GetParam(), "2"},
           {"client", "one", talker, "a", "bc"},
           {"client", "two", talker, "def"}});
  for (const char* strategy : {"mixed", "random", "pct"}) {
    expect(search({"--strategy", strategy, "-n", "150"}), 0, {"no bug found"});
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, Way, testing::Values("poll", "select", "epoll", "edge"));

TEST_F(NodesTest, LetsASenderWaitWhenTheReceiverIsSlow) {
  const std::string flood = program("nodes/flood.cc");
  cluster(
      {{"node", "taker", flood, "take", "1000000"}, {"node", "sender", flood, "send", "1000000"}});
  expect(search({"--strategy", "random", "-n", "5"}), 0, {"no bug found"});
}

TEST_F(NodesTest, SendsWhatIsWrittenPastTheHooks) {
  const std::string streams = program("nodes/streams.cc");
  for (const char* way : {"stream", "copy", "standard", "print", "file", "number"}) {
    cluster({{"node", "server", streams, "serve"}, {"node", "one", streams, "write", way}});
    expect(search({"--strategy", "random", "-n", "150"}), 0, {"no bug found"});
  }
}

// Each run of the server counts itself in a file.
TEST_F(NodesTest, PutsFilesBackBeforeEveryExecutionAndKeepsThemOverACrash) {
  const std::string starts = program("nodes/starts.cc");
  cluster({{"node", "server", starts, "serve", "1"}, {"client", "one", starts, "ask"}});
  expect(search({"--strategy", "random", "-n", "100"}), 0, {"no bug found"});
  cluster({{"node", "server", starts, "serve", "1"}, {"client", "one", starts, "ask"}},
          "crash = 1, restart = 1");
  expect(search({"--strategy", "pos", "-n", "2000"}), 1,
         {"assertion", "STARTS AGAIN", "starts.cc:"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays showed the bug"});
  cluster({{"node", "server", starts, "serve", "2"}, {"client", "one", starts, "ask"}},
          "crash = 1, restart = 1");
  expect(search({"--strategy", "pos", "-n", "500"}), 0, {"no bug found"});
  EXPECT_FALSE(std::filesystem::exists(in_folder("how-often")));
}

// --- Disks ---

// All orders, and all that may survive: exactly the states that the guide's model allows.
TEST_F(NodesTest, ACrashLeavesExactlyWhatMaySurvive) {
  const std::string durable = program("nodes/durable.cc");
  const auto search_without = [&](const std::string& way, const std::string& state,
                                  const std::string& more = "") {
    cluster({{"node", "writer", durable, way, state}, {"client", "one", durable, "client"}},
            "crash = 1, restart = 1" + more);
    return search({"--strategy", "dfs"});
  };
  expect(search_without("careful", "?"), 0, {"no bug found, and nothing is left to explore"});
  for (const char* state : {"", "new=", "new=ab", "new=abc", "log=ab", "log=abc"}) {
    expect(search_without("careful", state), 1, {"assertion", "durable.cc:"});
  }
  expect(search_without("careful", "log="), 0, {"no bug found"});
  expect(search_without("careless", "log="), 1,
         {"assertion", "calls fsync() at", "STARTS AGAIN",
          "HAS LOST 2 of 2 unsynced changes of 'new'"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays showed the bug"});
  expect(search_without("careful", "?", ", disk = 1"), 1,
         {"assertion `is_possible'", "unsynced changes of 'new', and half of a write"});
}

// What the report says of each kind of fault.
const std::vector<std::vector<std::string>> words_of_faults = {
    {"LOSES"},         {"WILL GET TWICE"},      {"WILL GET AFTER"},
    {"WILL GET LATE"}, {"CUT OFF", "ANY MORE"}, {"CRASHES"},
    {"STARTS AGAIN"},  {"DATE MOVED"},          {"FAILS", "DISK FULL"},
    {"CUT SHORT"}};

bool has_every_kind(const std::string& info) {
  return std::all_of(words_of_faults.begin(), words_of_faults.end(), [&](const auto& kind) {
    return std::any_of(kind.begin(), kind.end(), [&](const std::string& words) {
      return info.find(words) != std::string::npos;
    });
  });
}

TEST_F(NodesTest, AnExecutionWithEveryKindOfFaultReplays) {
  const std::string program = NodesTest::program("nodes/all_faults.cc");
  cluster({{"node", "keeper", program, "keep"}, {"client", "one", program, "ask", "12"}},
          "drop = 2, duplicate = 2, reorder = 2, delay = 2, partition = 2, crash = 2, restart = 2, "
          "skew = 2, disk = 2, short = 2");
  bool has_all = false;
  for (int seed = 1; seed <= 50 && !has_all; ++seed) {
    expect(search({"--no-minimise", "--strategy", "random", "--seed", std::to_string(seed)}), 1,
           {"status 1"});
    has_all = has_every_kind(tool({"info", "out/bug-1.json"}).output);
  }
  EXPECT_TRUE(has_all);
  expect(tool({"replay", "-n", "100", "out/bug-1.json"}), 1,
         {"100 of 100 replays showed the bug (exit) on the same trace"});
}

class FaultyCall : public NodesTest {
 protected:
  static Finished search_for(const std::string& what, const char* way, const std::string& faults) {
    const std::string faulty = program("nodes/faulty.cc");
    std::vector<Words> nodes = {{"node", "server", faulty, what, way}};
    if (what == "serve") nodes.push_back({"client", "one", faulty, "ask"});
    cluster(nodes, faults);
    return search({"--strategy", what == "serve" ? "random" : "dfs", "-n", "200"});
  }
  static void expect_found(const std::string& what, const std::string& faults,
                           const std::string& said) {
    expect(search_for(what, "careless", faults), 1, {"assertion", said, "faulty.cc:"});
    expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays showed the bug"});
    expect(search_for(what, "careful", faults), 0, {"no bug found"});
    expect(search_for(what, "careless", ""), 0, {"no bug found"});
  }
};

TEST_F(FaultyCall, AWriteFailsOrIsCutShort) {
  expect_found("write", "disk = 1", "write() F");
  expect_found("write", "short = 1", "write() IS CUT SHORT at ");
}
TEST_F(FaultyCall, AStreamCannotWriteItsBuffer) {
  expect_found("flush", "disk = 2", "fflush() F");
  expect_found("end", "disk = 2", "fclose() F");
}
TEST_F(FaultyCall, AStreamCannotWriteWhatItHasNoRoomFor) {
  expect_found("print", "disk = 1", "fprintf() F");
  expect_found("puts", "disk = 1", "fputs() F");
  expect_found("put", "disk = 1", "fputc() F");
}
TEST_F(FaultyCall, ASyncFails) { expect_found("sync", "disk = 2", "fsync() FAILS (EIO) at "); }
TEST_F(FaultyCall, AMessageComesInPieces) {
  expect_found("serve", "short = 2", "recv() IS CUT SHORT at ");
}

// --- Conversations ---

class Conversation : public NodesTest, public testing::WithParamInterface<const char*> {};

TEST_P(Conversation, GoesAsInARealNetwork) {
  const std::string cases = program("nodes/cases.cc");
  cluster({{"node", "server", cases, GetParam(), "server"},
           {"client", "one", cases, GetParam(), "client"}});
  expect(search({"--strategy", "mixed", "-n", "100"}), 0, {"no bug found"});
  expect(search({"--strategy", "random", "-n", "100"}), 0, {"no bug found"});
}

INSTANTIATE_TEST_SUITE_P(Cases, Conversation,
                         testing::Values("looks", "waitall", "stopped", "written", "clock",
                                         "unread", "itself", "sleeps"));

class SocketCall : public NodesTest, public testing::WithParamInterface<const char*> {
 protected:
  static void conversation(const std::string& name) {
    const std::string calls = program("nodes/socket_calls.cc");
    cluster({{"node", "server", calls, name, "server"}, {"node", "one", calls, name, "client"}});
  }
};

TEST_P(SocketCall, GoesAsInLinux) {
  conversation(GetParam());
  expect(search({"--strategy", "mixed", "-n", "50"}), 0, {"no bug found"});
  expect(search({"--strategy", "random", "-n", "50"}), 0, {"no bug found"});
}

INSTANTIATE_TEST_SUITE_P(Calls, SocketCall,
                         testing::Values("reset", "read-reset", "refused", "hang-up", "pipe",
                                         "names", "loopback", "version-6", "options", "several",
                                         "unix", "unreachable", "linger", "inherited", "lines",
                                         "file", "locks", "interfaces", "looked-up",
                                         "destinations"));

TEST_F(SocketCall, SaysThatOrdersOfWaitingForAFileAreNotSearched) {
  conversation("locks");
  expect(search({"--strategy", "random", "-n", "20"}), 0,
         {"waits for a lock of a file", "socket_calls.cc:384"});
}

TEST_F(SocketCall, EndsAProgramThatDoesNotExpectItsSignal) {
  conversation("killed");
  expect(search({}), 1, {"crash: one: killed by SIGPIPE", "socket_calls.cc:"});
}

TEST_F(NodesTest, GivesOtherRandomNumbersToEachNodeAndToEachOfItsLives) {
  const std::string calls = program("nodes/socket_calls.cc");
  const std::vector<Words> nodes = {{"node", "server", calls, "lives", "server"},
                                    {"client", "one", calls, "lives", "client"}};
  cluster(nodes);
  expect(search({"--strategy", "random", "-n", "50"}), 0, {"no bug found"});
  cluster(nodes, "crash = 1, restart = 1");
  expect(search({"--strategy", "pos", "-n", "3000"}), 1,
         {"STARTS AGAIN", "the server is the same"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
}

TEST_F(SocketCall, MayBeMadeForMoreConnectionsThanThereAreTasks) {
  conversation("many");
  expect(search({"--strategy", "random", "-n", "2"}), 0, {"no bug found"});
}

TEST_F(NodesTest, LetsConnectionsWaitWhenTheBacklogIsFull) {
  const std::string cases = program("nodes/cases.cc");
  std::vector<Words> nodes = {{"node", "server", cases, "backlog", "server"}};
  for (const char* name : {"a", "b", "c", "d"}) {
    nodes.push_back({"client", name, cases, "backlog", "client"});
  }
  cluster(nodes);
  expect(search({"--strategy", "random", "-n", "100"}), 0, {"no bug found"});
}

TEST_F(NodesTest, ComesBetweenTwoCallsThatOnlyOpenAPort) {
  const std::string cases = program("nodes/cases.cc");
  cluster(
      {{"node", "server", cases, "early", "server"}, {"client", "one", cases, "early", "client"}});
  expect(search({}), 1, {"assertion: one: ", "cases.cc:"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

// Between two points of a node its threads are not switched, and that is said.
TEST_F(NodesTest, DoesNotCallItselfCompleteForThreadsThatItDoesNotSwitch) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server}, {"client", "one", client, "add"}});
  expect(search({"-n", "20"}), 0, {"no bug found", "--points sync looks inside each node"});
  for (const char* learned : {"racy", "shared"}) {
    expect(search({"--points", learned}), 2,
           {"are for programs with threads", "message, sync, atomic and memory"});
  }
}

TEST_F(NodesTest, DoesNotCallItselfCompleteBehindARaceInANode) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "bad", wrong, "race"}, {"node", "good", wrong, "nothing"}});
  const Words all = {"--strategy", "dfs", "--points", "atomic"};
  const auto with = [&](const std::string& option, const std::string& value = "") {
    Words words = all;
    words.push_back(option);
    if (!value.empty()) words.push_back(value);
    return search(words);
  };
  const Finished ignored = with("--ignore", "data-race");
  expect(ignored, 0,
         {"what they lead to is not explored (--no-races --points memory)", "ignored     data-race",
          "wrong.cc:25", "wrong.cc:26"});
  EXPECT_EQ(ignored.output.find("nothing is left"), std::string::npos) << last();
  const Finished unseen = with("--no-races");
  expect(unseen, 0, {"whose data races nobody has looked for: --points memory"});
  EXPECT_EQ(unseen.output.find("nothing is left"), std::string::npos) << last();
}

// In whatever way the accesses are left out: the summary for programs says so, too.
TEST_F(NodesTest, TheSummaryNamesRacesThatWereNotFollowed) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "bad", wrong, "race"}, {"node", "good", wrong, "nothing"}});
  for (const std::string strategy : {"dfs", "dpor"}) {
    for (const Words& way : {Words{"--points", "atomic", "--no-races"}, Words{"--no-races"},
                             Words{"--points", "atomic", "--ignore", "data-race"},
                             Words{"--points", "memory", "--ignore", "data-race", "-n", "30"},
                             Words{"--points", "sync", "--no-races"}, Words{"-k"}}) {
      Words words = {"--strategy", strategy, "--json", "summary.json", "--no-minimise"};
      words.insert(words.end(), way.begin(), way.end());
      search(words);
      std::ifstream file(in_folder("summary.json"));
      const nlohmann::json summary = nlohmann::json::parse(file);
      EXPECT_EQ(summary["complete"], false) << last();
      const bool is_named =
          !summary["not_modelled"].empty() || summary.contains("unfollowed_races");
      EXPECT_TRUE(is_named) << last();
    }
  }
}

// --- What goes wrong on purpose ---

TEST_F(NodesTest, LosesDatagramsWithinTheBudget) {
  const std::string datagrams = program("nodes/datagrams.cc");
  const std::vector<Words> nodes = {{"node", "server", datagrams, "answer"},
                                    {"client", "asker", datagrams, "wait", "3"}};
  cluster(nodes);
  expect(search({"--strategy", "random", "-n", "150"}), 0, {"no bug found"});
  cluster(nodes, "drop = 1");
  expect(search({"--strategy", "random", "-n", "3000"}), 1, {" LOSES ", "deadlock"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

TEST_F(NodesTest, APartitionLosesDatagramsAndKeepsStreams) {
  const std::string datagrams = program("nodes/datagrams.cc");
  cluster({{"node", "server", datagrams, "answer"}, {"client", "asker", datagrams, "wait", "3"}},
          "partition = 1");
  expect(search({"--strategy", "random", "-n", "3000"}), 1,
         {"deadlock", "DOES NOT HEAR", "ANY MORE", "LOSES", "HEARS", "AGAIN"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server}, {"client", "one", client, "keeps"}},
          "partition = 2, delay = 3");
  for (const char* strategy : {"random", "pct", "mixed"}) {
    expect(search({"--strategy", strategy, "-n", "100"}), 0, {"no bug found"});
  }
}

TEST_F(NodesTest, TheDateOfANodeJumps) {
  const std::string datagrams = program("nodes/datagrams.cc");
  const std::vector<Words> nodes = {{"node", "server", datagrams, "answer"},
                                    {"client", "asker", datagrams, "date", "2"}};
  cluster(nodes);
  expect(search({"--strategy", "random", "-n", "150"}), 0, {"no bug found"});
  cluster(nodes, "skew = 1");
  expect(search({"--strategy", "random", "-n", "3000"}), 1,
         {"asker   HAS ITS DATE MOVED BY -", "time(nullptr) >= before"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

TEST_F(NodesTest, EveryExecutionOfASwarmHasAPartOfTheFaults) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  cluster({{"node", "server", server}, {"client", "one", client, "keeps"}},
          "crash = 1, restart = 1, partition = 1, delay = 1, skew = 1", "swarm = true");
  expect(search({"--strategy", "random", "-n", "3000"}), 1,
         {"server  CRASHES", "server  STARTS AGAIN", "number_now() >= after"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

// Who asks once and goes on looking does not end if its request was lost; who asks again does.
TEST_F(NodesTest, DemandsProgressOnceNothingGoesWrong) {
  const std::string datagrams = program("nodes/datagrams.cc");
  const Words server = {"node", "server", datagrams, "answer"};
  cluster({server, {"client", "asker", datagrams, "poll"}}, "drop = 1", "progress = 200");
  expect(search({"--strategy", "random", "-n", "300"}), 1,
         {"livelock: asker: no end within 200 steps in which nothing went wrong", "LOSES",
          "FROM HERE ON NOTHING GOES WRONG"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
  cluster({server, {"client", "asker", datagrams, "ask", "1000"}}, "drop = 1, partition = 1",
          "progress = 200");
  expect(search({"--strategy", "random", "-n", "200"}), 0, {"no bug found"});
}

// Nearly all steps are one node's, which is not cut before the client is blamed.
TEST_F(NodesTest, DemandsProgressAlsoBehindTheLimitOfSteps) {
  const std::string datagrams = program("nodes/datagrams.cc"), bad = program("nodes/bad.cc");
  cluster(
      {{"node", "busy", bad, "writes", "endless"}, {"client", "asker", datagrams, "receive", "1"}},
      "", "progress = 2500");
  expect(search({"--strategy", "random", "--steps", "500", "--no-minimise"}), 1,
         {"livelock: asker: no end within 2500 steps in which nothing went wrong"});
}

TEST_F(NodesTest, ForgetsWhatAServerHadInMemoryWhenItCrashes) {
  const std::string server = program("../examples/nodes/counter_server.cc");
  const std::string client = program("../examples/nodes/counter_client.cc");
  const std::vector<Words> nodes = {{"node", "server", server}, {"client", "one", client, "keeps"}};
  cluster(nodes);
  expect(search({"-n", "150"}), 0, {"no bug found"});
  cluster(nodes, "crash = 1");
  expect(search({"-n", "150"}), 0, {"no bug found"});
  cluster(nodes, "crash = 1, restart = 1");
  expect(search({"--strategy", "pos", "-n", "3000"}), 1,
         {"server  CRASHES", "server  STARTS AGAIN", "number_now() >= after"});
  expect(tool({"replay", "-n", "10", "out/bug-1.json"}), 1, {"10 of 10 replays"});
}

TEST_F(NodesTest, DoublesAndReordersDatagrams) {
  const std::string datagrams = program("nodes/datagrams.cc");
  const std::vector<Words> nodes = {{"node", "server", datagrams, "answer"},
                                    {"client", "asker", datagrams, "ask", "20"}};
  cluster(nodes, "duplicate = 3, reorder = 3");
  expect(search({"--strategy", "random", "-n", "150"}), 0, {"no bug found"});
}

// --- The suite of clusters ---

TEST_F(NodesTest, FindsWhatThePhilosophersDoWrongAndNothingElse) {
  const std::string philosopher = program("../bench/suites/nodes/philosophers/philosopher.cc");
  const auto table = [&](const std::string& bug) {
    const auto guest = [&](const std::string& name, const std::string& neighbour) {
      return Words{"node",          name, philosopher, "--name=" + name, "--neighbour=" + neighbour,
                   "--table=table", bug};
    };
    cluster(
        {guest("A", "B"), guest("B", "A"), {"client", "table", philosopher, "--guests=A,B", bug}});
  };
  table("--bug=close");
  expect(search({"--strategy", "pos", "--steps", "3000"}), 1, {"crash: ", "abort() was called"});
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
  table("--bug=none");
  expect(search({"--strategy", "pos", "--steps", "500", "-n", "50"}), 0, {"no bug found"});
}

// --- Bugs of a single node ---

struct Wrong {
  const char* way;
  std::vector<std::string> said;
};

class WrongNode : public NodesTest, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongNode, IsReportedWithItsName) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "bad", wrong, GetParam().way}, {"node", "good", wrong, "nothing"}});
  expect(search({"--points", "sync"}), 1, GetParam().said);
  expect(tool({"replay", "-q", "out/bug-1.json"}), 1, {});
}

INSTANTIATE_TEST_SUITE_P(
    Ways, WrongNode,
    testing::Values(Wrong{"crash", {"crash: bad: segmentation fault", "wrong.cc:2"}},
                    Wrong{"race", {"data-race: bad: ", "wrong.cc:25", "wrong.cc:26"}},
                    Wrong{"deadlock", {"deadlock: bad: "}},
                    Wrong{"port", {"exit: bad: the program ended with status 7"}},
                    Wrong{"outside",
                          {"exit: bad: the program ended with status 8",
                           "calls connect() with an address outside the cluster", "wrong.cc:"}}),
    [](const auto& way) { return std::string(way.param.way); });

// --- Bad input ---

class BadCluster : public NodesTest {
 protected:
  static void expect_complaint(const std::string& text, const Words& words) {
    program("nodes/datagrams.cc");
    std::ofstream(in_folder("cluster.toml")) << text;
    expect(search({}), 2, words);
  }
};

TEST_F(BadCluster, IsNamedWithLineAndColumn) {
  const std::string node = "[[node]]\nname = \"a\"\ncommand = [\"./datagrams\"]\n";
  expect_complaint("[[node]]\nname = \"a\"\ncomand = [\"./x\"]\n",
                   {"cluster.toml:3:1", "a node has no field 'comand'; did you mean 'command'?"});
  expect_complaint("[[node]\n", {"cluster.toml:1:"});
  expect_complaint("", {"it has no node"});
  expect_complaint("[[node]]\ncommand = [\"./datagrams\"]\n", {"cluster.toml:1:1", "needs a name"});
  expect_complaint("[[node]]\nname = \"a\"\n", {"needs a command"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = \"./datagrams\"\n",
                   {"cluster.toml:3:11", "list of texts"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\"./no-such\"]\n",
                   {"cluster.toml:3:12", "there is no program"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\"redis-server\"]\n",
                   {"cluster.toml:3:12", "beside this file, not in the PATH"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\".\"]\n",
                   {"cluster.toml:3:12", "is a folder, not a program"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\"\"]\n", {"cluster.toml:3:12", "is empty"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\"./cluster.toml\"]\n",
                   {"cluster.toml:3:12", "may not be executed"});
  expect_complaint("[[node]]\nname = \"a b\"\ncommand = [\"./datagrams\"]\n",
                   {"cluster.toml:2:8", "host name"});
  expect_complaint("[[node]]\nname = \"localhost\"\n",
                   {"cluster.toml:2:8", "what every node calls itself"});
  expect_complaint("[[node]]\nname = \"10.0.0.1\"\n", {"cluster.toml:2:8", "read as an address"});
  expect_complaint(node + node, {"cluster.toml:5:8", "two nodes with the name 'a'"});
  expect_complaint("faults = { crush = 1 }\n" + node,
                   {"cluster.toml:1:12", "did you mean 'crash'?"});
  expect_complaint("faults = { crash = -1 }\n" + node, {"cluster.toml:1:20", "from 0 to 1000"});
  expect_complaint(node + "faults = { crash = 1 }\n",
                   {"cluster.toml:4:1", "has to stand above the first [[node]]"});
  expect_complaint("folder = \".\"\n" + node,
                   {"cluster.toml:1:1", "has to stand below a line [[node]]"});
  expect_complaint("faults = { restart = 1 }\n" + node,
                   {"cluster.toml:1:22", "what has not crashed does not start again"});
  expect_complaint("swarm = true\n" + node, {"cluster.toml:1:9", "there are none"});
  expect_complaint(node + "environment = { \"A=B\" = \"1\" }\n", {"cluster.toml:4:", "has no '='"});
  expect_complaint("search = { execution = 5 }\n" + node,
                   {"cluster.toml:1:12", "did you mean 'executions'?"});
  expect_complaint("search = { executions = -5 }\n" + node, {"cluster.toml:1:25", "--executions"});
  expect_complaint("search = { steps = true }\n" + node, {"cluster.toml:1:20", "--steps"});
  expect_complaint("search = { strategy = \"rondom\" }\n" + node,
                   {"cluster.toml:1:23", "did you mean 'random'?"});
  expect_complaint("[[node]]\nname = \"a\"\ncommand = [\"/bin/true\"]\n",
                   {"the node 'a'", "ricercar c"});
}

TEST_F(BadCluster, IsMissing) {
  expect(tool({"run", "--nodes", "nothing.toml"}), 2,
         {"cannot read the cluster file 'nothing.toml'"});
  expect(tool({"run", "--nodes", "nothing.toml", "./program"}), 2, {"leave out './program'"});
}

TEST_F(BadCluster, AsksForAStrategyThatDoesNotWorkThere) {
  program("nodes/datagrams.cc");
  std::ofstream(in_folder("cluster.toml"))
      << "[[node]]\nname = \"a\"\ncommand = [\"./datagrams\", \"answer\"]\n";
  expect(search({"--strategy", "hapset"}), 2, {"'hapset'", "it does not work for nodes"});
}

TEST_F(NodesTest, SearchesAsTheFileSaysUnlessTheCommandLineSaysOtherwise) {
  const std::string datagrams = program("nodes/datagrams.cc");
  cluster({{"node", "server", datagrams, "answer"}, {"client", "asker", datagrams, "ask", "1"}}, "",
          "early_timeouts = 0\n"
          "search = { strategy = \"pos\", executions = 3, steps = 4, seed = 7 }");
  expect(search({}), 0, {"3 executions cut at 4 steps"});
  expect(search({"--steps", "1000"}), 0, {"explored    3 executions", "strategy    pos, seed 7"});
  expect(search({"--steps", "1000", "-n", "2", "--strategy", "random", "--seed", "1"}), 0,
         {"explored    2 executions", "strategy    random, seed 1"});
}

TEST_F(NodesTest, SaysThatANodeStartsAnotherProcess) {
  const std::string wrong = program("nodes/wrong.cc");
  for (const char* way : {"fork", "daemon", "system"}) {
    cluster({{"node", "bad", wrong, way}});
    expect(search({}), 2,
           {std::string("the node 'bad': the program calls ") + way, "must stay one process"});
  }
}

TEST_F(NodesTest, NamesACallThatIsNotModelledWithItsLine) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "bad", wrong, "family"}, {"node", "good", wrong, "nothing"}});
  expect(search({"-n", "5"}), 0, {"opens a socket that is neither TCP nor UDP", "wrong.cc:"});
}

// Somebody else ends the process of a node.
TEST_F(NodesTest, SaysWhichNodeWasKilledFromOutside) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "victim", wrong, "waits", "for-its-end"}});
  Process searching(command({"run", "--out", "out", "--nodes", "cluster.toml", "--time", "60"}));
  const std::string victim = wrong.substr(2) + '\0' + "waits" + '\0' + "for-its-end";
  bool was_killed = false;
  for (int i = 0; i < 1000 && !was_killed; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (const auto& each : std::filesystem::directory_iterator("/proc")) {
      std::ifstream file(each.path() / "cmdline");
      const std::string words(std::istreambuf_iterator<char>(file), {});
      if (words.find(in_folder("")) != 0 || words.find(victim) == std::string::npos) continue;
      was_killed = ::kill(std::stoi(each.path().filename()), SIGKILL) == 0;
    }
  }
  ASSERT_TRUE(was_killed);
  const Finished finished = searching.wait();
  expect(finished, 2, {"the node 'victim'", "was killed by"});
}

// Who asks so often gives up only if as many time limits pass before the answer comes.
TEST_F(NodesTest, LetsTimePassEarlyWithinTheBudget) {
  const std::string datagrams = program("nodes/datagrams.cc");
  for (const int tries : {1, 2}) {
    for (const int early : {0, 1, 2}) {
      cluster({{"node", "server", datagrams, "answer"},
               {"client", "asker", datagrams, "ask", std::to_string(tries)}});
      std::ifstream plain(in_folder("cluster.toml"));
      const std::string nodes(std::istreambuf_iterator<char>(plain), {});
      std::ofstream(in_folder("cluster.toml")) << "early_timeouts = " << early << "\n" << nodes;
      const bool gives_up = early >= tries;
      expect(search({"--strategy", "dfs", "-n", "3000"}), gives_up ? 1 : 0,
             {gives_up ? "nobody has answered" : "no bug found"});
    }
  }
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
}

// A thread that begins to wait does not go on at once because its time limit could pass.
TEST_F(NodesTest, AWaitWithATimeLimitInsideOfANodeIsNotOverBeforeAMessageComes) {
  const std::string both = program("nodes/timed_wait.cc");
  cluster({{"node", "server", both}, {"client", "one", both, "asks"}}, "", "early_timeouts = 0");
  for (const char* strategy : {"mixed", "random", "pct"}) {
    expect(search({"--strategy", strategy, "-n", "100"}), 0, {"no bug found"});
  }
  cluster({{"node", "server", both}, {"client", "one", both, "asks"}}, "", "early_timeouts = 1");
  expect(search({}), 1, {"abort() was called"});
}

// They come when time has passed 8 or 32 times. That counts as one time limit that passes early; a
// second one may pass while the client asks.
TEST_F(NodesTest, LetsClientsComeLateIfATimeLimitMayPassEarly) {
  const std::string both = program("nodes/late_client.cc");
  const auto comes_later_than = [&](int seconds, int early) {
    cluster({{"node", "server", both}, {"client", "one", both, std::to_string(seconds)}}, "",
            "early_timeouts = " + std::to_string(early));
    const Finished finished = search({"--strategy", "random", "-n", "2000"});
    expect(finished, finished.status,
           {finished.status == 1 ? "abort() was called" : "no bug found"});
    return finished.status == 1;
  };
  EXPECT_FALSE(comes_later_than(0, 0));
  EXPECT_TRUE(comes_later_than(30, 1));
  expect(tool({"replay", "-n", "5", "out/bug-1.json"}), 1, {"5 of 5 replays"});
  EXPECT_FALSE(comes_later_than(31, 1));
  EXPECT_TRUE(comes_later_than(31, 2));
  EXPECT_FALSE(comes_later_than(32, 2));
}

TEST_F(NodesTest, AThreadThatGoesOnInItsNodeForLongLetsTheOthersGoFirst) {
  const std::string loop = program("nodes/waits_in_a_loop.cc");
  cluster({{"node", "one", loop}, {"node", "two", loop}});
  for (const char* strategy : {"mixed", "pb", "pct"}) {
    const Finished finished = search({"--strategy", strategy, "-n", "10"});
    expect(finished, 0, {"no bug found"});
    EXPECT_EQ(finished.output.find(" cut "), std::string::npos) << last();
  }
}

TEST_F(NodesTest, KeepsAFolderForOneSearchAtATime) {
  program("nodes/wrong.cc");
  std::filesystem::create_directories(in_folder("own"));
  std::ofstream(in_folder("cluster.toml"))
      << "[[node]]\nname = \"a\"\ncommand = [\"./wrong\", \"nothing\"]\nfolder = \"own\"\n";
  expect(search({}), 0, {"no bug found"});
  const int other = ::open(in_folder("own").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);
  expect(search({}), 2, {"of the node 'a' is used by another search", "give this one a copy"});
  ::close(other);
  expect(search({}), 0, {"no bug found"});
}

// A crash loses that the file was made, or does not: then the status is 3. What both lives have
// written stays together.
TEST_F(NodesTest, BeginsInANewProcessWhereMemoryAloneCannotBePutBack) {
  const std::string one = program("nodes/new_process.c");
  cluster({{"node", "one", one}});
  expect(search({"--strategy", "random", "-n", "20"}), 0, {"explored    20 executions"});
  cluster({{"node", "one", one}, {"client", "two", one, "waits"}}, "crash = 1, restart = 1");
  expect(search({"--strategy", "random", "-n", "300"}), 1, {"exit: one", "STARTS AGAIN"});
  std::ifstream file(in_folder("out/bug-1/one.txt"));
  const std::string written(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(written, "begins\nbegins\n");
}

TEST_F(NodesTest, CleansUpBeforeEveryExecution) {
  const std::string wrong = program("nodes/wrong.cc");
  cluster({{"node", "one", wrong, "nothing"}, {"node", "two", wrong, "nothing"}});
  std::ifstream plain(in_folder("cluster.toml"));
  const std::string nodes(std::istreambuf_iterator<char>(plain), {});
  std::ofstream(in_folder("clean")) << "#!/bin/sh\necho x >> cleaned\nexit $1\n";
  std::filesystem::permissions(in_folder("clean"), std::filesystem::perms::owner_all);
  std::ofstream(in_folder("cluster.toml")) << "clean_up = [\"./clean\", \"0\"]\n" << nodes;
  expect(search({"--strategy", "random", "-n", "7"}), 0, {"no bug found"});
  EXPECT_EQ(std::filesystem::file_size(in_folder("cleaned")), 14u);
  std::ofstream(in_folder("cluster.toml")) << "clean_up = [\"./clean\", \"3\"]\n" << nodes;
  expect(search({}), 2, {"the clean-up command (", "/clean) ended with status 3"});
  std::ofstream(in_folder("cluster.toml")) << "clean_up = [\"./no-such\"]\n" << nodes;
  expect(search({}), 2, {"cluster.toml:1:13", "there is no program"});
}

TEST_F(NodesTest, WritesAClusterFileToBeginWith) {
  std::filesystem::remove_all(in_folder("new"));
  expect(tool({"init", "--nodes", "new"}), 0, {"new/cluster.toml is written"});
  expect(tool({"init", "--nodes", "new"}), 2, {"there is a file", "name another folder"});
  expect(tool({"run", "--nodes", "new/cluster.toml"}), 2, {"there is no program"});
  // With the fields that are explained, and programs that are there; properties take long to
  // compile.
  program("nodes/wrong.cc");
  std::ifstream file(in_folder("new/cluster.toml"));
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const bool is_field = line.starts_with("# ") && line.find(" = ") != std::string::npos &&
                          !line.starts_with("# properties");
    text += (is_field ? line.substr(2) : line) + "\n";
  }
  const auto replace = [&text](const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  replace("\"./server\"", "\"../wrong\", \"nothing\"");
  replace("\"./client\", \"server\"", "\"../wrong\", \"nothing\"");
  replace("\"./clean-up\", \"argument\"", "\"/bin/true\"");
  std::filesystem::create_directory(in_folder("new/server"));
  std::ofstream(in_folder("new/cluster.toml")) << text;
  expect(tool({"run", "--out", "out", "-n", "5", "--nodes", "new/cluster.toml"}), 0,
         {"no bug found"});
  expect(tool({"init"}), 2, {"ricercar init --nodes"});
}

TEST_F(NodesTest, IsStuckWhenAllWait) {
  const std::string datagrams = program("nodes/datagrams.cc");
  cluster({{"node", "receiver", datagrams, "receive", "2"},
           {"node", "sender", datagrams, "send", "x"}});
  expect(search({}), 1, {"deadlock", "all nodes wait, no message is on its way"});
}

// A schedule of another build means nothing.
TEST_F(NodesTest, RefusesAScheduleOfAnotherCluster) {
  const std::string datagrams = program("nodes/datagrams.cc");
  cluster({{"node", "receiver", datagrams, "receive", "2"},
           {"node", "sender", datagrams, "send", "x"}});
  expect(search({}), 1, {"deadlock"});
  cluster({{"node", "receiver", datagrams, "receive", "3"},
           {"node", "sender", datagrams, "send", "x"}});
  expect(tool({"replay", "out/bug-1.json"}), 2, {"another build"});
}

}  // namespace
}  // namespace ricercar::test
