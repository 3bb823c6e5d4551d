#include "supervisor/supervisor.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <thread>

#include "base/error.h"

namespace ricercar::inline supervisor {
namespace {

class Supervise : public testing::Test {
 protected:
  Supervise() : nowhere_(::open("/dev/null", O_RDWR)) {}
  ~Supervise() override { ::close(nowhere_); }

  Supervised run(std::vector<std::string> arguments, const Supervision& supervision = {},
                 const char* program = FAKE_WORKER) {
    const ProgramInput input(nowhere_);
    return run(std::move(arguments), supervision, input, program);
  }
  Supervised run(std::vector<std::string> arguments, const Supervision& supervision,
                 const ProgramInput& input, const char* program = FAKE_WORKER) {
    Launch launch;
    launch.program = program;
    launch.arguments = std::move(arguments);
    launch.output = launch.error = nowhere_;
    return supervise(shared_, launch, input, supervision);
  }

  SharedControl shared_;
  int nowhere_;
};

// Sends a signal to this process after a while, from a child.
class LaterSignal {
 public:
  LaterSignal(int signal, int milliseconds, int times = 1) : child_(::fork()) {
    if (child_ != 0) return;
    for (int i = 0; i < times; ++i) {
      ::usleep(static_cast<useconds_t>(milliseconds) * 1000);
      ::kill(::getppid(), signal);
    }
    ::_exit(0);
  }

 private:
  pid_t child_;
};

TEST_F(Supervise, ASearchThatFinishesIsDone) {
  const Supervised result = run({"finish"});
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_EQ(shared_->status, Status::finished);
  EXPECT_TRUE(shared_->complete);
}

TEST_F(Supervise, AWorkerThatDiesIsReplacedAsLongAsTheSearchGoesOn) {
  EXPECT_EQ(run({"die-often", "20"}).ending, Ending::done);
  EXPECT_EQ(shared_->executions, 20U);
  EXPECT_EQ(shared_->status, Status::finished);
}

TEST_F(Supervise, WorkersThatDieWithoutProgressAreGivenUp) {
  const Supervised result = run({"die-always"});
  EXPECT_EQ(result.ending, Ending::gave_up);
  EXPECT_NE(result.message.find("SIGKILL"), std::string::npos) << result.message;
  EXPECT_NE(result.message.find("3 times"), std::string::npos) << result.message;
}

TEST_F(Supervise, AWorkerThatLeavesWithoutAnAnswerIsGivenUp) {
  EXPECT_EQ(run({"leave", "0"}).ending, Ending::gave_up);
  EXPECT_EQ(run({"leave", "5"}).ending, Ending::gave_up);
}

TEST_F(Supervise, AProgramThatNeverComesToTheRuntimeIsUncontrolled) {
  const Supervised result = run({"never-start"});
  EXPECT_EQ(result.ending, Ending::uncontrolled);
  EXPECT_EQ(result.message, "ended with status 7");
}

TEST_F(Supervise, AProgramThatCannotBeStartedIsAUsersMistake) {
  EXPECT_THROW(run({}, {}, "/nonexistent/program"), UsageError);
  EXPECT_THROW(run({}, {}, "/etc/passwd"), UsageError);
}

TEST_F(Supervise, TheTimeLimitStopsAWorkerThatListens) {
  Supervision supervision;
  supervision.max_seconds = 0.2;
  const Supervised result = run({"run-until-stopped"}, supervision);
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_EQ(shared_->status, Status::stopped);
  EXPECT_FALSE(result.interrupted);
  EXPECT_GT(shared_->executions, 0U);
}

TEST_F(Supervise, TheTimeLimitKillsAWorkerThatDoesNotListen) {
  Supervision supervision;
  supervision.max_seconds = 0.1;
  supervision.grace_seconds = 0.3;
  const Supervised result = run({"run-for-ever"}, supervision);
  EXPECT_EQ(result.ending, Ending::gave_up);
  EXPECT_LT(result.seconds, 5);
}

TEST_F(Supervise, TheTimeLimitEndsASearchThatIsThinking) {
  Supervision supervision;
  supervision.max_seconds = 0.1;
  supervision.grace_seconds = 0.3;
  const Supervised result = run({"think-for-ever"}, supervision);
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_TRUE(result.was_thinking);
  EXPECT_TRUE(result.out_of_time);
  EXPECT_EQ(shared_->status, Status::stopped);
  EXPECT_EQ(shared_->executions, 3U);
  EXPECT_LT(result.seconds, 5);
}

TEST_F(Supervise, ConstructorsThatCannotBeInterruptedAreGivenUp) {
  shared_->request.hang_seconds = 0.1;
  const Supervised result = run({"construct-for-ever"});
  EXPECT_EQ(result.ending, Ending::gave_up);
  EXPECT_NE(result.message.find("static constructors"), std::string::npos) << result.message;
  EXPECT_LT(result.seconds, 20);
}

TEST_F(Supervise, AProgramThatDoesNothingAnyMoreIsKilled) {
  shared_->request.hang_seconds = 0.1;
  const Supervised result = run({"hang-once"});
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_EQ(shared_->end.way, ProcessEnd::hung);
  EXPECT_LT(result.seconds, 20);
}

TEST_F(Supervise, HowAnExecutionEndedWithItsProcessIsNoted) {
  run({"die-inside", "9"});
  EXPECT_EQ(shared_->end.way, ProcessEnd::killed);
  EXPECT_EQ(shared_->end.number, 9);
}

// The worker looks at the time, too, and may be the one who notices.
TEST_F(Supervise, PatienceBeginsWhenTheWorkerIsAskedToStop) {
  Supervision supervision;
  supervision.grace_seconds = 0.5;
  const Supervised result = run({"stop-itself"}, supervision);
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_EQ(shared_->status, Status::stopped);
}

TEST_F(Supervise, AnInterruptEndsTheSearchInOrder) {
  const LaterSignal interrupt(SIGINT, 200);
  const Supervised result = run({"run-until-stopped"});
  EXPECT_TRUE(result.interrupted);
  EXPECT_FALSE(result.killed);
  EXPECT_EQ(shared_->status, Status::stopped);
}

TEST_F(Supervise, ASecondInterruptKills) {
  const LaterSignal interrupts(SIGTERM, 200, 2);
  Supervision supervision;
  supervision.grace_seconds = 60;
  const Supervised result = run({"run-for-ever"}, supervision);
  EXPECT_TRUE(result.killed);
  EXPECT_LT(result.seconds, 5);
}

TEST_F(Supervise, EveryWorkerReadsAPipeFromItsStart) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  ASSERT_EQ(::write(pipe[1], "12345", 5), 5);
  ::close(pipe[1]);
  const ProgramInput input(pipe[0]);
  EXPECT_EQ(run({"count-input"}, {}, input).ending, Ending::done);
  EXPECT_EQ(shared_->steps, 10U);
  ::close(pipe[0]);
}

TEST_F(Supervise, ASilentPipeIsNotWaitedFor) {
  int pipe[2];
  ASSERT_EQ(::pipe(pipe), 0);
  const ProgramInput input(pipe[0]);
  EXPECT_EQ(run({"count-input"}, {}, input).ending, Ending::done);
  EXPECT_EQ(shared_->steps, 0U);
  ::close(pipe[0]);
  ::close(pipe[1]);
}

TEST_F(Supervise, TheEndOfTheOutputIsKept) {
  Supervision supervision;
  supervision.capture = true;
  const Supervised result = run({"flood"}, supervision);
  EXPECT_EQ(result.output.size(), std::size_t{64} << 10);
  EXPECT_TRUE(result.output.ends_with("line 99999 of the program's output\n"));
  EXPECT_TRUE(result.output_is_cut);
}

TEST_F(Supervise, ProgressIsShownWhileAWorkerRuns) {
  int calls = 0;
  Supervision supervision;
  supervision.max_seconds = 1;
  supervision.progress = [&](const Control& control, double) {
    ++calls;
    EXPECT_EQ(control.status, Status::running);
  };
  run({"run-until-stopped"}, supervision);
  EXPECT_GE(calls, 2);
}

TEST_F(Supervise, AWorkerOfWhomNobodyWantsMoreIsKilled) {
  Supervision supervision;
  supervision.grace_seconds = 60;
  bool is_over = false;
  supervision.is_enough = [&](const Control& control, double seconds, pid_t worker) {
    EXPECT_EQ(control.status, Status::running);
    EXPECT_EQ(::kill(worker, 0), 0);
    EXPECT_FALSE(is_over);  // it is not asked again
    is_over = seconds > 0.3;
    return is_over;
  };
  shared_->status = Status::running;
  const Supervised result = run({"run-for-ever"}, supervision);
  EXPECT_TRUE(result.was_enough);
  EXPECT_EQ(result.ending, Ending::done);
  EXPECT_GT(result.seconds, 0.3);
  EXPECT_LT(result.seconds, 5);
}

TEST_F(Supervise, ASearchThatHasEndedByItselfIsWanted) {
  Supervision supervision;
  supervision.is_enough = [](const Control&, double, pid_t) { return true; };
  EXPECT_FALSE(run({"finish"}, supervision).was_enough);
  EXPECT_EQ(shared_->status, Status::finished);
}

TEST(JobsWithRoom, ThereIsAlwaysRoomForOneAndNeverForMoreThanThereAreProcessors) {
  const std::uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
  EXPECT_EQ(jobs_with_room(1, ::getpid()), 1U);
  EXPECT_GE(jobs_with_room(1000, ::getpid()), 1U);
  EXPECT_LE(jobs_with_room(1000, ::getpid()), processors);
}

// Stack, libraries and descriptors are where they were, whatever the environment holds.
TEST_F(Supervise, EveryStartIsTheSame) {
  run({"note-addresses"});
  const std::uint64_t stack = shared_->steps;
  const std::uint64_t library = shared_->runtime_address;
  const std::uint64_t descriptor = shared_->executions;
  for (const std::size_t length : {1, 7, 16, 1000, 20000}) {
    ::setenv("A_VARIABLE", std::string(length, 'x').c_str(), 1);
    ::setenv(("B" + std::to_string(length)).c_str(), "", 1);
    run({"note-addresses"});
    EXPECT_EQ(shared_->steps, stack) << length;
    EXPECT_EQ(shared_->runtime_address, library) << length;
    EXPECT_EQ(shared_->executions, descriptor) << length;
  }
  ::unsetenv("A_VARIABLE");
}

}  // namespace
}  // namespace ricercar::inline supervisor
