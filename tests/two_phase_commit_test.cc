// One protocol, three worlds: searched, on the threads of one process, and in four processes of
// which one is killed. The monitors are the same everywhere.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <ricercar/deploy.h>
#include <ricercar/replay_logs.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "two_phase_commit/protocol.h"

namespace two_phase_commit {
namespace {

using std::chrono::seconds;

using Json = nlohmann::json;

Json file(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return Json::parse(stream);
}

ricercar::SetUp system_with(bool hasty) {
  return [hasty](ricercar::System& system) {
    std::vector<MachineId> participants = {system.create(Participant{{}, hasty}),
                                           system.create(Participant{})};
    const MachineId coordinator = system.create(Coordinator{{}, participants});
    system.create(Client{{}, coordinator, 1});
    system.monitor(Atomicity{{}, 2});
  };
}

TEST(TwoPhaseCommit, IsAtomicWhenSearched) {
  const auto result =
      ricercar::check_machines({.strategy = "random", .executions = 2000}, system_with(false));
  EXPECT_TRUE(result) << result;
}

TEST(TwoPhaseCommit, AHastyParticipantIsFoundBySearch) {
  const auto result =
      ricercar::check_machines({.strategy = "random", .executions = 2000}, system_with(true));
  ASSERT_EQ(result.bugs.size(), 1U);
  EXPECT_EQ(result.bugs[0].kind, "property");
}

TEST(TwoPhaseCommit, ABugIsMadeShorterAndTheOneThatWasFoundStaysBesideIt) {
  const auto out = std::filesystem::temp_directory_path() / "two_phase_commit_shorter";
  std::filesystem::remove_all(out);
  ricercar::Options options = {.strategy = "random", .executions = 2000};
  options.out = out;
  const auto result = ricercar::check_machines(options, system_with(true));
  options.minimise = false;
  options.out = out / "as-found";
  const auto found = ricercar::check_machines(options, system_with(true));
  ASSERT_EQ(result.bugs.size(), 1U);
  ASSERT_EQ(found.bugs.size(), 1U);
  EXPECT_EQ(result.bugs[0].kind, found.bugs[0].kind);
  EXPECT_NE(result.bugs[0].report.find("minimised ("), std::string::npos);
  EXPECT_EQ(found.bugs[0].report.find("minimised ("), std::string::npos);
  const Json shorter = file(result.bugs[0].schedule);
  const Json as_found = file(found.bugs[0].schedule);
  EXPECT_LT(shorter["steps"], as_found["steps"]);
  EXPECT_EQ(shorter["kind"], as_found["kind"]);
  const Json original = file(out / std::string(shorter["minimised"]["original"]));
  EXPECT_EQ(original["steps"], as_found["steps"]);
  EXPECT_EQ(original["message"], as_found["message"]);
  std::filesystem::remove_all(out);
}

// As for threads: it is counted, and does not fail the search.
TEST(TwoPhaseCommit, AKindOfBugThatIsLeftOutIsOnlyCounted) {
  ricercar::Options ignoring = {.strategy = "random", .executions = 2000};
  ignoring.ignore = "property";
  ricercar::Options narrow = {.strategy = "random", .executions = 2000};
  narrow.fail_on = "deadlock,crash";
  for (const ricercar::Options& options : {ignoring, narrow}) {
    const auto result = ricercar::check_machines(options, system_with(true));
    EXPECT_TRUE(result) << result;
    EXPECT_EQ(result.executions, 2000U);
    EXPECT_TRUE(result.coverage.ends_with("; ignored: 2 property")) << result;
  }
}

TEST(TwoPhaseCommit, AKindOfBugThatDoesNotExistIsAMistake) {
  ricercar::Options options;
  options.ignore = "propertie";
  const auto result = ricercar::check_machines(options, system_with(false));
  EXPECT_FALSE(result);
  EXPECT_NE(result.error.find("did you mean 'property'"), std::string::npos) << result;
}

TEST(TwoPhaseCommit, RunsOnThreads) {
  for (const bool hasty : {false, true}) {
    ricercar::Deployment deployment({.threads = 2, .seed = 5});
    const ricercar::SetUp set_up = system_with(hasty);
    set_up(deployment);
    deployment.start();
    const auto failures = deployment.finish(seconds(60));
    EXPECT_EQ(failures.empty(), !hasty);
  }
}

// --- Four processes ---

// A process with pipes to its input and from its output.
class Child {
 public:
  explicit Child(const std::vector<std::string>& words) {
    int in[2], out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    if (::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ) != 0) {
      std::abort();
    }
    posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = out[0];
  }
  ~Child() {
    if (process_ > 0) kill();
    if (to_ >= 0) ::close(to_);
    ::close(from_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  std::string read_line() const {
    std::string line;
    char character = 0;
    while (::read(from_, &character, 1) == 1 && character != '\n') line += character;
    return line;
  }
  void write(const std::string& text) const {
    EXPECT_EQ(::write(to_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void end_input() { ::close(std::exchange(to_, -1)); }
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return status;
  }
  void kill() {
    ::kill(process_, SIGKILL);
    wait();
  }

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
};

class Processes {
 public:
  // The participant of this name has the bug.
  explicit Processes(const std::string& hasty = "") {
    std::string pattern = testing::TempDir() + "two_phase_commit_XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    std::string ports;
    for (const std::string name : {"coordinator", "p1", "p2", "p3"}) {
      std::vector<std::string> words = {NODE_PROGRAM, name, log(name)};
      if (name == hasty) words.emplace_back("hasty");
      nodes_.push_back(std::make_unique<Child>(words));
      logs.push_back(log(name));
      ports += nodes_.back()->read_line() + " ";
    }
    for (const auto& node : nodes_) node->write(ports + "\n");
  }
  ~Processes() { std::filesystem::remove_all(folder_); }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  std::string log(const std::string& name) const { return folder_ + "/" + name + ".log"; }

  // Until the log of a node shows some transactions.
  void wait_for_progress(const std::string& name) const {
    const auto size = [&] {
      std::error_code missing;
      const auto bytes = std::filesystem::file_size(log(name), missing);
      return missing ? 0 : bytes;
    };
    const auto goal = size() + 2000;
    for (int i = 0; i < 30000 && size() < goal; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_GE(size(), goal) << "nothing happens on " << name;
  }
  void kill(std::size_t node) { nodes_[node]->kill(); }
  void finish() {
    nodes_[0]->write("finish\n");
    const int status = nodes_[0]->wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  void end(std::size_t node) {
    nodes_[node]->end_input();
    const int status = nodes_[node]->wait();
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }

  std::vector<std::string> logs;

 private:
  std::string folder_;
  std::vector<std::unique_ptr<Child>> nodes_;
};

ricercar::ReplayedLogs replay(const std::vector<std::string>& logs) {
  return ricercar::replay_logs<Voted, Decided, Applied>(logs, Atomicity{{}, 3});
}

// Remembers what was decided, and how much was applied.
struct History : Monitor {
  static inline std::vector<bool> decisions;
  static inline int applied = 0;
  struct Remembering;
  static void define(Definition<History>& monitor) {
    monitor.state<Remembering>().on(&History::note_decision).on(&History::note_applied);
  }
  void note_decision(const Decided& decision) { decisions.push_back(decision.commit); }
  void note_applied(const Applied&) { ++applied; }
};

TEST(TwoPhaseCommit, StaysAtomicWhenAProcessIsKilled) {
  Processes processes;
  processes.wait_for_progress("p2");
  processes.kill(2);
  processes.finish();
  processes.end(1);
  processes.end(3);

  const auto replayed = replay(processes.logs);
  EXPECT_TRUE(replayed) << replayed.failures[0].message;
  // It was killed in the middle: there are commits, and none among the transactions behind its
  // death.
  ricercar::replay_logs<Voted, Decided, Applied>(processes.logs, History{});
  const std::vector<bool>& decisions = History::decisions;
  ASSERT_GT(decisions.size(), 5U);
  EXPECT_GT(std::count(decisions.begin(), decisions.end(), true), 0);
  EXPECT_EQ(std::count(decisions.end() - 5, decisions.end(), true), 0);
  EXPECT_GT(History::applied, 0);

  // Without the votes of one participant commits are not explained.
  const auto incomplete = replay({processes.logs[0], processes.logs[1], processes.logs[2]});
  ASSERT_FALSE(incomplete);
  EXPECT_EQ(incomplete.failures[0].message,
            "monitor Atomicity: committed, but not all have voted for it");
}

TEST(TwoPhaseCommit, AHastyProcessIsFoundInTheLogs) {
  Processes processes("p3");
  processes.wait_for_progress("p3");
  processes.finish();
  for (const std::size_t node : {1, 2, 3}) processes.end(node);
  const auto replayed = replay(processes.logs);
  ASSERT_FALSE(replayed);
  // Before the decision, or another one: that depends on who is faster.
  EXPECT_EQ(replayed.failures[0].message.rfind("monitor Atomicity: applied", 0), 0U)
      << replayed.failures[0].message;
}

// --- Logs ---

struct Announcer : Machine {
  int count = 0;
  struct Announcing;
  static void define(Definition<Announcer>& machine) {
    machine.state<Announcing>().entry(&Announcer::announce_all);
  }
  void announce_all() {
    for (int i = 0; i < count; ++i) announce(Decided{i, false});
  }
};

std::vector<ricercar::Failure> write_log(const std::string& path, int count, bool records = true) {
  ricercar::Deployment deployment({.threads = 1, .log_file = path});
  if (records) deployment.record<Decided>();
  deployment.create(Announcer{{}, count});
  deployment.start();
  return deployment.finish(seconds(60));
}

TEST(Logs, AreContinuedAndTornEndsAreLeftOut) {
  const std::string path = testing::TempDir() + "continued.log";
  std::filesystem::remove(path);
  EXPECT_TRUE(write_log(path, 3).empty());
  EXPECT_TRUE(write_log(path, 4).empty());
  EXPECT_EQ(replay({path}).events, 7U);
  EXPECT_TRUE(replay({path}).notes.empty());
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_EQ(replay({path}).events, 6U);
  EXPECT_EQ(replay({path}).notes.size(), 1U);
  EXPECT_TRUE(write_log(path, 2).empty());
  EXPECT_EQ(replay({path}).events, 8U);
  EXPECT_TRUE(replay({path}).notes.empty());
}

TEST(Logs, MistakesAreNamed) {
  const std::string path = testing::TempDir() + "mistakes.log";
  std::filesystem::remove(path);
  const auto message_of = [](const auto& action) {
    try {
      action();
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_NE(message_of([&] { replay({path}); }).find("cannot be read"), std::string::npos);
  std::ofstream(path) << "something else";
  EXPECT_NE(message_of([&] { replay({path}); }).find("is no log"), std::string::npos);
  std::filesystem::remove(path);
  const auto failures = write_log(path, 1, false);
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_NE(failures[0].message.find("record<Decided>()"), std::string::npos);
  write_log(path, 1);
  EXPECT_NE(message_of([&] {
              ricercar::replay_logs<Voted>({path}, Atomicity{});
            }).find("two_phase_commit::Decided"),
            std::string::npos);
}

}  // namespace
}  // namespace two_phase_commit
