// Several processes that search one program: whatever their number, the result is that of one.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "support/tool.h"

namespace ricercar::test {
namespace {

using nlohmann::json;

class Jobs : public ToolTest {
 protected:
  static Words search_words(const std::string& jobs, const Words& options,
                            const std::string& program) {
    Words words = {"run", "--jobs", jobs, "--json", "-", "--out", "out"};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", program});
    return words;
  }

  struct Result {
    int status;
    json summary;  // without times
    json schedule;
    bool operator==(const Result&) const = default;
  };

  static void forget_times(json& summary) {
    summary.erase("seconds");
    if (!summary.contains("strata")) return;
    for (json& stratum : summary["strata"]) stratum.erase("seconds");
  }

  static json read(const std::string& name) {
    std::ifstream file(in_folder(name));
    return file ? json::parse(file) : json();
  }

  static std::string read_text(const std::string& name) {
    std::ifstream file(in_folder(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static Result search(const std::string& jobs, const Words& options, const std::string& program) {
    std::filesystem::remove_all(in_folder("out"));
    const Finished finished = tool(search_words(jobs, options, program));
    EXPECT_FALSE(finished.timed_out) << last();
    json summary = json::parse(finished.output, nullptr, false);
    EXPECT_FALSE(summary.is_discarded()) << last();
    forget_times(summary);
    return {finished.status, summary, read("out/bug-1.json")};
  }

  // With so many processes as with one.
  static Result expect_same(const Words& options, const std::string& program,
                            const Words& counts = {"2", "3"}) {
    const Result one = search("1", options, program);
    for (const std::string& jobs : counts) {
      const Result several = search(jobs, options, program);
      EXPECT_EQ(several.status, one.status) << last();
      EXPECT_EQ(several.summary, one.summary) << last();
      EXPECT_TRUE(several.schedule == one.schedule) << last();
    }
    return one;
  }
};

constexpr const char* shared_strategies[] = {"random",
                                             "pos",
                                             "pct:depth=3",
                                             "surw",
                                             "rff",
                                             "mixed",
                                             "dfs",
                                             "dpor",
                                             "bpor",
                                             "pb",
                                             "pb:iterative=no",
                                             "portfolio",
                                             "irs",
                                             "ss",
                                             "bestfirst",
                                             "bestfirst:space=persistent,priority=pattern+novel",
                                             "bestfirst:space=pb=2,priority=ss+rand",
                                             "bestfirst:space=all,priority=dpor+pb"};

TEST_F(Jobs, AProgramWithoutABugIsSearchedAsByOne) {
  for (const char* name : {"account", "count_readers", "bounded_buffer"}) {
    const std::string program = this->program("programs/ok/" + std::string(name) + ".cc");
    for (const std::string strategy : shared_strategies) {
      const Result result = expect_same({"-s", strategy, "-n", "3000"}, program);
      EXPECT_EQ(result.status, 0);
    }
  }
}

TEST_F(Jobs, TheFirstBugIsTheSame) {
  for (const char* name :
       {"deadlock/lost_wakeup", "assertion/lost_update_atomic", "assertion/two_stage",
        "assertion/dekker", "data-race/loop_variable", "data-race/two_locks"}) {
    const std::string program = this->program("programs/bug/" + std::string(name) + ".cc");
    // What is minimised was found by then.
    for (const std::string strategy : shared_strategies) {
      for (const std::string seed : {"1", "2"}) {
        const std::string jobs = seed == "1" ? "2" : "3";
        expect_same({"-s", strategy, "-n", "3000", "--no-minimise", "--seed", seed}, program,
                    {jobs});
      }
    }
  }
}

// Who finds it goes on with what comes before it.
TEST_F(Jobs, ABugBehindMostOfTheSearchLeavesNothingOut) {
  std::ofstream(in_folder("late.cc")) << R"(
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> turns = 0;
bool was_first = false;
int main() {
  std::thread early([] { for (int i = 0; i < 8; ++i) ++turns; });
  std::thread late([] {
    was_first = turns == 0;
    for (int i = 0; i < 8; ++i) ++turns;
  });
  early.join();
  late.join();
  assert(!was_first);
}
)";
  ASSERT_EQ(tool({"c++", "-g", "late.cc", "-o", "late"}).status, 0) << last();
  for (const std::string strategy : {"dfs", "dpor"}) {
    const Result result = expect_same({"-s", strategy}, "./late");
    EXPECT_EQ(result.summary["executions"], 11441);
  }
}

TEST_F(Jobs, AllBugsAreTheSame) {
  const std::string program = this->program("points/counters.cc");
  for (const std::string strategy : shared_strategies)
    expect_same({"-s", strategy, "-n", "1000", "--keep-going"}, program);
}

// What is learned in one process holds for all, from the same execution on.
TEST_F(Jobs, LearnedPointsAreTheSame) {
  const std::string program = this->program("points/counters.cc");
  for (const char* points : {"racy", "shared"}) {
    for (const std::string strategy : shared_strategies)
      expect_same({"-s", strategy, "-n", "1000", "--no-races", "--points", points}, program);
  }
}

TEST_F(Jobs, WithAForkForEachExecutionToo) {
  const std::string program = this->program("programs/ok/account.cc");
  expect_same({"-s", "random", "-n", "200", "--fork"}, program);
  expect_same({"-s", "dfs", "-n", "600", "--fork"}, program);
}

TEST_F(Jobs, AStrategyThatCannotBeSharedOutSaysSo) {
  const std::string program = this->program("programs/ok/account.cc");
  const auto says = [&](const char* strategy, const char* why) {
    expect(tool({"run", "--jobs", "2", "-n", "20", "-s", strategy, "--", program}), 0,
           {std::string("one process has searched: the strategy ") + why});
  };
  says("hapset", "hapset cannot be shared out");
  says(
      "bestfirst:priority=hapset+pb",
      "bestfirst cannot be shared out with the priority hapset, which learns from every execution");
  says("bestfirst:measure=yes", "bestfirst cannot be shared out with measure=yes");
}

TEST_F(Jobs, AProgramThatChangesFilesIsSearchedByOne) {
  std::ofstream(in_folder("writes.cc")) << R"(
#include <fcntl.h>
#include <unistd.h>
#include <thread>
int main() {
  std::thread other([] {
    const int file = open("written", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file < 0) _exit(9);
    write(file, "x", 1);
    close(file);
  });
  other.join();
}
)";
  ASSERT_EQ(tool({"c++", "-g", "writes.cc", "-o", "writes"}).status, 0) << last();
  expect(tool({"run", "--jobs", "2", "-s", "random", "-n", "500", "--", "./writes"}), 0,
         {"500 executions", "one process has searched: the program changes files"});
  EXPECT_FALSE(std::filesystem::exists(in_folder("written")));
}

// It is written when the mapping is, and nobody sees that.
TEST_F(Jobs, AProgramThatMapsAFileToChangeItIsSearchedByOne) {
  std::ofstream(in_folder("mapped")) << "0123";
  std::ofstream(in_folder("maps.cc")) << R"(
#include <fcntl.h>
#include <sys/mman.h>
#include <thread>
int main() {
  const int file = open("mapped", O_RDWR);
  auto* text = static_cast<char*>(mmap(nullptr, 4, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  if (text == MAP_FAILED || text[0] != '0') __builtin_trap();
  std::thread other([text] { text[0] = 'x'; });
  other.join();
}
)";
  ASSERT_EQ(tool({"c++", "-g", "maps.cc", "-o", "maps"}).status, 0) << last();
  expect(tool({"run", "--jobs", "2", "-s", "random", "-n", "100", "--", "./maps"}), 0,
         {"100 executions", "one process has searched: the program changes files"});
  EXPECT_EQ(read_text("mapped"), "0123");
}

// Each of these would see what another process does.
TEST_F(Jobs, AProgramThatMeetsOtherProcessesIsSearchedByOne) {
  const std::pair<const char*, const char*> meetings[] = {
      {"locks a file", "flock(open(\"meets.cc\", O_RDONLY), LOCK_EX | LOCK_NB)"},
      {"locks a part of one", "lockf(open(\"meets.cc\", O_RDWR), F_TLOCK, 1)"},
      {"binds a name",
       "bind(socket(AF_UNIX, SOCK_STREAM, 0), reinterpret_cast<sockaddr*>(&name), sizeof name)"}};
  for (const auto& [what, call] : meetings) {
    std::ofstream(in_folder("meets.cc")) << R"(
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <atomic>
#include <cassert>
#include <thread>
int main() {
  sockaddr_un name = {AF_UNIX, {0, 'r', 'i', 'c'}};
  (void)name;
  std::atomic<int> value = 0;
  std::thread other([&] { ++value; });
  assert()" << call << R"( == 0);
  ++value;
  other.join();
}
)";
    ASSERT_EQ(tool({"c++", "-g", "meets.cc", "-o", "meets"}).status, 0) << last();
    expect(tool({"run", "--jobs", "2", "-s", "random", "-n", "500", "--", "./meets"}), 0,
           {"500 executions", "one process has searched: the program changes files or meets"});
    EXPECT_FALSE(testing::Test::HasFailure()) << what;
  }
}

TEST_F(Jobs, ABugBehindWhatDoesNotComeAgainIsFoundByOne) {
  const std::string changing = program("process/changing.cc");
  std::filesystem::remove(in_folder("state"));
  expect(tool({"run", "--jobs", "2", "-s", "random", "--", changing, "state", "also"}), 1,
         {"1 bug found", "did not reproduce",
          "one process has searched: what several have found was not deterministic"});
}

TEST_F(Jobs, TimeEndsAllOfThem) {
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  const Finished finished =
      tool({"run", "--jobs", "2", "-s", "random", "--time", "1", "--", program});
  expect(finished, 0, {"no bug found"});
  EXPECT_LT(finished.seconds, 10) << last();
}

// The workers of a search, by the folder in which they and nobody else run.
std::vector<pid_t> workers_in(const std::string& folder, const std::string& name) {
  std::vector<pid_t> result;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::error_code error;
    const auto place = std::filesystem::read_symlink(entry.path() / "exe", error);
    if (!error && place == std::filesystem::canonical(folder) / name)
      result.push_back(std::stoi(entry.path().filename()));
  }
  return result;
}

TEST_F(Jobs, InterruptingEndsAllOfThem) {
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  Process search(command({"run", "--jobs", "2", "-s", "random", "--time", "60", "--", program}));
  ::usleep(700'000);
  search.signal_group(SIGINT);
  const Finished finished = search.wait();
  EXPECT_EQ(finished.status, 130) << finished.output << finished.error;
  EXPECT_NE(finished.output.find("executions"), std::string::npos) << finished.output;
  EXPECT_TRUE(workers_in(in_folder("."), "bounded_buffer").empty());
}

// --- Without --jobs ---

TEST_F(Jobs, ASearchThatTakesLongGetsTheOtherCores) {
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "there is one core";
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  Process search(command({"run", "-s", "random", "--time", "60", "--", program}));
  std::size_t workers = 0;
  for (int i = 0; i < 200 && workers < 2; ++i) {
    ::usleep(50'000);
    workers = workers_in(in_folder("."), "bounded_buffer").size();
    if (i < 5) {
      EXPECT_LE(workers, 1U);
    }
  }
  EXPECT_GE(workers, 2U);
  search.signal_group(SIGINT);
  EXPECT_EQ(search.wait().status, 130);
  EXPECT_TRUE(workers_in(in_folder("."), "bounded_buffer").empty());
}

TEST_F(Jobs, WhatAllCoresFindIsWhatOneFinds) {
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  const Result one = search("1", {"-s", "random", "-n", "400000"}, program);
  const Finished all =
      tool({"run", "-s", "random", "-n", "400000", "--json", "-", "--out", "out", "--", program});
  json summary = json::parse(all.output, nullptr, false);
  ASSERT_FALSE(summary.is_discarded()) << last();
  forget_times(summary);
  EXPECT_EQ(summary, one.summary) << last();
}

TEST_F(Jobs, WhoChangesFilesStaysAloneWithoutBeginningAnew) {
  std::ofstream(in_folder("keeps.cc")) << R"(
#include <fcntl.h>
#include <unistd.h>
#include <thread>
int main() {
  std::thread other([] {
    const int file = open("kept", O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file < 0) _exit(9);
    close(file);
  });
  other.join();
}
)";
  ASSERT_EQ(tool({"c++", "-g", "keeps.cc", "-o", "keeps"}).status, 0) << last();
  Process search(command({"run", "-s", "random", "--time", "60", "--", "./keeps"}));
  std::size_t workers = 0;
  for (int i = 0; i < 50; ++i) {
    ::usleep(50'000);
    workers = std::max(workers, workers_in(in_folder("."), "keeps").size());
  }
  EXPECT_EQ(workers, 1U);
  search.signal_group(SIGINT);
  EXPECT_EQ(search.wait().status, 130);
  EXPECT_FALSE(std::filesystem::exists(in_folder("kept")));
}

// It is as if the program had been killed: a bug in that execution, and the search ends.
TEST_F(Jobs, AWorkerThatIsKilledIsNoticed) {
  const std::string program = this->program("programs/ok/bounded_buffer.cc");
  Process search(command(
      {"run", "--jobs", "2", "-s", "random", "--time", "5", "--out", "killed", "--", program}));
  std::vector<pid_t> workers;
  for (int i = 0; i < 100 && workers.size() < 2; ++i) {
    ::usleep(50'000);
    workers = workers_in(in_folder("."), "bounded_buffer");
  }
  ASSERT_EQ(workers.size(), 2U);
  ::usleep(500'000);
  ::kill(workers[1], SIGKILL);
  const Finished finished = search.wait();
  EXPECT_FALSE(finished.timed_out);
  // In the middle of an execution it looks like a crash that does not come again; between two of
  // them another worker goes on.
  EXPECT_TRUE(finished.status == 0 || finished.status == 1 || finished.status == 3)
      << finished.status << finished.output << finished.error;
  EXPECT_NE((finished.output + finished.error).find("execution"), std::string::npos);
  EXPECT_TRUE(workers_in(in_folder("."), "bounded_buffer").empty());
}

}  // namespace
}  // namespace ricercar::test
