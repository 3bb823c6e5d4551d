// The world of machines: what machines do to each other, where others may come in between, and how
// executions end. Numbers of executions and states are those of the combinatorics next to them.
#include <gtest/gtest.h>

#include <cassert>
#include <stdexcept>

#include "base/error.h"
#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

using Endings = std::set<std::string>;
using Story = std::vector<std::string>;

std::string error_of(const SetUp& set_up) {
  try {
    run_all(set_up);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

struct Note {};

// Sends itself so many events that it never handles: so many slots, and nobody is concerned.
struct Selfish : Machine {
  int slots = 0;
  struct Only;
  static void define(Definition<Selfish>& machine) {
    machine.state<Only>().entry(&Selfish::enter).defer<Note>();
  }
  void enter() {
    for (int i = 0; i < slots; ++i) send(self(), Note{});
  }
};

SetUp selfish(const std::vector<int>& slots) {
  return [slots](System& system) {
    for (const int count : slots) system.create(Selfish{{}, count});
  };
}

TEST(World, DfsRunsEveryInterleavingOnce) {
  EXPECT_EQ(run_all(selfish({2, 3})).executions, 10U);       // 5! / (2! 3!)
  EXPECT_EQ(run_all(selfish({1, 2, 3})).executions, 60U);    // 6! / (1! 2! 3!)
  EXPECT_EQ(run_all(selfish({0, 0, 0})).executions, 6U);     // a start is a slot, too
  EXPECT_EQ(run_all(selfish({3, 3, 3})).executions, 1680U);  // 9! / (3! 3! 3!)
  EXPECT_EQ(run_all(selfish({3, 3, 3})).endings.size(), 1U);
}

TEST(World, SesVisitsEveryStateOnce) {
  for (const char* strategy : {"ses:explorer=rr", "ses:explorer=rtc", "ses:explorer=prr,step=3"}) {
    EXPECT_EQ(run_all(selfish({2, 3}), strategy).coverage, "every state: 12");     // 3 * 4
    EXPECT_EQ(run_all(selfish({1, 2, 3}), strategy).coverage, "every state: 24");  // 2 * 3 * 4
    EXPECT_EQ(run_all(selfish({4, 4}), strategy).coverage, "every state: 25");
  }
}

TEST(World, DporNeedsOneExecutionForMachinesThatAreNotConcerned) {
  EXPECT_EQ(run_all(selfish({3, 3, 3}), "dpor").executions, 1U);
}

// --- Queues ---

struct Value {
  int value = 0;
};

struct Sender : Machine {
  MachineId to;
  int value = 0;
  struct Only;
  static void define(Definition<Sender>& machine) { machine.state<Only>().entry(&Sender::enter); }
  void enter() {
    send(to, Value{value});
    send(to, Value{value + 1});
  }
};

struct Sink : Machine {
  std::string log;
  struct Only;
  static void define(Definition<Sink>& machine) { machine.state<Only>().on(&Sink::take); }
  void take(const Value& event) { log += std::to_string(event.value); }
};

TEST(World, WhatOneMachineSendsArrivesInOrder) {
  const Runs runs = run_all([](System& system) {
    const MachineId sink = system.create(Sink{});
    system.create(Sender{{}, sink, 1});
    system.create(Sender{{}, sink, 5});
  });
  Endings expected;
  for (const char* log : {"1256", "1526", "1562", "5126", "5162", "5612"}) {
    expected.insert("  Sink#0 in Only {\"" + std::string(log) +
                    "\"}\n  Sender#1 in Only {#0, 1}\n  Sender#2 in Only {#0, 5}\n");
  }
  EXPECT_EQ(runs.endings, expected);
}

TEST(World, AStoryTellsWhatHappened) {
  const OneRun run = run_once([](System& system) {
    const MachineId sink = system.create(Sink{});
    system.create(Sender{{}, sink, 1});
  });
  EXPECT_EQ(run.story,
            (Story{"Sink#0 starts in Only", "Sender#1 starts in Only",
                   "Sender#1 sends Value{1} to Sink#0", "Sink#0 handles Value{1} in Only",
                   "Sender#1 sends Value{2} to Sink#0", "Sink#0 handles Value{2} in Only"}));
}

TEST(World, AStoryTellsWhatMachinesHaveBecome) {
  const OneRun run = run_once([](System& system) {
    const MachineId sink = system.create(Sink{});
    system.create(Sender{{}, sink, 1});
  });
  EXPECT_EQ(run.conditions, (Story{"1 Sink#0 Only {\"\"}", "2 Sender#1 Only {#0, 1}",
                                   "4 Sink#0 Only {\"1\"}", "6 Sink#0 Only {\"12\"}"}));
}

// --- Scheduling points ---

enum class Seal { nothing, machine, state, scope };

template <Seal seal>
struct Twice : Machine {
  struct Only;
  static void define(Definition<Twice>& machine) {
    if (seal == Seal::machine) machine.sealed();
    auto only = machine.template state<Only>();
    only.entry(&Twice::enter).template defer<Note>();
    if (seal == Seal::state) only.sealed();
  }
  void enter() {
    if constexpr (seal == Seal::scope) {
      const Sealed sealed;
      both();
    } else {
      both();
    }
  }
  void both() {
    send(self(), Note{});
    send(self(), Note{});
  }
};

template <Seal seal>
std::uint64_t executions_next_to_one_slot() {
  return run_all([](System& system) {
           system.create(Twice<seal>{});
           system.create(Selfish{{}, 1});
         })
      .executions;
}

TEST(World, ASealedHandlerHasNoSchedulingPoints) {
  EXPECT_EQ(executions_next_to_one_slot<Seal::nothing>(), 3U);  // 3! / (2! 1!)
  EXPECT_EQ(executions_next_to_one_slot<Seal::machine>(), 2U);
  EXPECT_EQ(executions_next_to_one_slot<Seal::state>(), 2U);
  EXPECT_EQ(executions_next_to_one_slot<Seal::scope>(), 2U);
}

// --- choose ---

struct Chooser : Machine {
  int way = 0;
  std::vector<int> got;
  struct Only;
  static void define(Definition<Chooser>& machine) { machine.state<Only>().entry(&Chooser::enter); }
  void enter() {
    if (way == 0) got = {choose() ? 1 : 0};
    if (way == 1) got = {static_cast<int>(choose(3))};
    if (way == 2) got = {choose_between(-1, 1), choose_between(7, 7)};
    if (way == 3) choose(0);
  }
};

Endings chosen(int way) {
  return run_all([way](System& system) { system.create(Chooser{{}, way, {}}); }).endings;
}

TEST(World, ChooseGivesEveryAnswer) {
  EXPECT_EQ(chosen(0),
            (Endings{"  Chooser#0 in Only {0, [0]}\n", "  Chooser#0 in Only {0, [1]}\n"}));
  EXPECT_EQ(chosen(1), (Endings{"  Chooser#0 in Only {1, [0]}\n", "  Chooser#0 in Only {1, [1]}\n",
                                "  Chooser#0 in Only {1, [2]}\n"}));
  EXPECT_EQ(chosen(2),
            (Endings{"  Chooser#0 in Only {2, [-1, 7]}\n", "  Chooser#0 in Only {2, [0, 7]}\n",
                     "  Chooser#0 in Only {2, [1, 7]}\n"}));
}

TEST(World, TwoChoosersGiveAllPairsInBothOrders) {
  const ricercar::SetUp set_up = [](System& system) {
    system.create(Chooser{{}, 1, {}});
    system.create(Chooser{{}, 1, {}});
  };
  const Runs runs = run_all(set_up);
  EXPECT_EQ(runs.executions, 18U);
  EXPECT_EQ(runs.endings.size(), 9U);
  EXPECT_EQ(run_all(set_up, "ses").coverage, "every state: 16");  // (1 + 3)^2
  EXPECT_EQ(run_all(set_up, "dpor").executions, 9U);
}

TEST(World, ChoosingFromNothingIsAMistake) {
  EXPECT_EQ(error_of([](System& system) {
              system.create(Chooser{{}, 3, {}});
            }),
            "choose(0): there is nothing to choose from");
}

// --- receive ---

struct X {};
struct Y {};
struct Z {};

struct Receiver : Machine {
  std::string log;
  struct Only;
  static void define(Definition<Receiver>& machine) {
    machine.state<Only>().entry(&Receiver::enter).on<X>(&Receiver::x);
  }
  void enter() {
    const auto got = receive<Y, Z>();
    log += got.index() == 0 ? "y" : "z";
    receive<Z>();
    log += "z";
  }
  void x() { log += "x"; }
};

TEST(World, ReceiveTakesTheFirstThatItWantsAndLeavesTheOthers) {
  const OneRun run = run_once([](System& system) {
    const MachineId machine = system.create(Receiver{});
    system.send(machine, X{});
    system.send(machine, Y{});
    system.send(machine, X{});
    system.send(machine, Z{});
  });
  EXPECT_EQ(run.outcome.kind, OutcomeKind::ok);
  EXPECT_EQ(run.ending, "  Receiver#0 in Only {\"yzxx\"}\n");
  EXPECT_EQ(run.story,
            (Story{"Receiver#0 starts in Only", "Receiver#0 receives Y", "Receiver#0 receives Z",
                   "Receiver#0 handles X in Only", "Receiver#0 handles X in Only"}));
}

TEST(World, WhoWaitsForEverIsDeadlocked) {
  const Runs runs = run_all([](System& system) { system.send(system.create(Receiver{}), X{}); });
  EXPECT_EQ(runs.endings,
            (Endings{"deadlock: Receiver#0 waits to receive Y or Z, and nobody can go on"}));
}

// Whatever a handler has done before it waits is done once.
struct Busy : Machine {
  MachineId sink;
  int count = 0;
  MachineId child;
  struct Only;
  static void define(Definition<Busy>& machine) { machine.state<Only>().entry(&Busy::enter); }
  void enter() {
    count += static_cast<int>(choose(2)) + 1;
    send(sink, Value{count});
    child = create(Sink{});
    receive<X>();
    send(child, Value{7});
    ++count;
    receive<Y>();
    send(sink, Value{count});
  }
};

TEST(World, AHandlerThatWaitedGoesOnWithWhatItKnew) {
  const Runs runs = run_all([](System& system) {
    const MachineId sink = system.create(Sink{});
    const MachineId busy = system.create(Busy{{}, sink, 0, {}});
    system.send(busy, X{});
    system.send(busy, Y{});
  });
  EXPECT_EQ(
      runs.endings,
      (Endings{
          "  Sink#0 in Only {\"12\"}\n  Busy#1 in Only {#0, 2, #2}\n  Sink#2 in Only {\"7\"}\n",
          "  Sink#0 in Only {\"23\"}\n  Busy#1 in Only {#0, 3, #2}\n  Sink#2 in Only "
          "{\"7\"}\n"}));
}

// --- Create and halt ---

struct Halting : Machine {
  struct Only;
  static void define(Definition<Halting>& machine) { machine.state<Only>().on<X>(&Halting::x); }
  void x() {
    send(MachineId(1), Value{1});
    send(MachineId(1), Value{2});
    halt();
  }
};

TEST(World, WhatIsSentToAHaltedMachineIsLostAndWhatItSentArrives) {
  const Runs runs = run_all([](System& system) {
    const MachineId halting = system.create(Halting{});
    system.create(Sink{});
    system.send(halting, X{});
    system.send(halting, Y{});  // nobody handles it, and nobody has to
  });
  EXPECT_EQ(runs.endings, (Endings{"  Halting#0 has halted\n  Sink#1 in Only {\"12\"}\n"}));
}

TEST(World, EveryExplorerRunsAHaltedMachineToItsLastEffect) {
  for (const char* strategy : {"ses:explorer=rr", "ses:explorer=rtc", "ses:explorer=prr"}) {
    const Runs runs = run_all(
        [](System& system) {
          system.send(system.create(Halting{}), X{});
          system.create(Sink{});
        },
        strategy);
    EXPECT_EQ(runs.endings, (Endings{"  Halting#0 has halted\n  Sink#1 in Only {\"12\"}\n"}))
        << strategy;
  }
}

struct Parent : Machine {
  struct Only;
  static void define(Definition<Parent>& machine) { machine.state<Only>().entry(&Parent::enter); }
  void enter() {
    const MachineId first = create(Sink{});
    const MachineId second = create(Sink{{}, "s"});
    send(second, Value{2});
    send(first, Value{1});
  }
};

TEST(World, ACreatedMachineHasItsVariablesAndItsQueue) {
  EXPECT_EQ(
      run_all([](System& system) { system.create(Parent{}); }).endings,
      (Endings{"  Parent#0 in Only \n  Sink#1 in Only {\"1\"}\n  Sink#2 in Only {\"s2\"}\n"}));
}

struct ForEver : Machine {
  struct Only;
  static void define(Definition<ForEver>& machine) { machine.state<Only>().entry(&ForEver::enter); }
  void enter() { create(ForEver{}); }
};

TEST(World, ThereIsAnEndToCreation) {
  EXPECT_EQ(error_of([](System& system) { system.create(ForEver{}); }),
            "more than 1024 machines and timers; numbers are not used again, so create fewer");
}

// --- Timers ---

struct Tick {
  int value = 0;
};

struct Timed : Machine {
  int starts = 1;
  bool stops = false;
  std::string log;
  struct Only;
  static void define(Definition<Timed>& machine) {
    machine.state<Only>().entry(&Timed::enter).on(&Timed::tick).on<X>(&Timed::stop);
  }
  void enter() {
    for (int i = 1; i <= starts; ++i) start_timer(Tick{i});
    if (stops) send(self(), X{});
  }
  void tick(const Tick& event) { log += std::to_string(event.value); }
  void stop() {
    stop_timer<Tick>();
    log += "s";
  }
};

Endings timed(int starts, bool stops, const std::string& strategy = "dfs") {
  return run_all(
             [=](System& system) {
               system.create(Timed{{}, starts, stops, {}});
             },
             strategy)
      .endings;
}

TEST(World, ATimerFiresOnce) {
  EXPECT_EQ(timed(1, false), (Endings{"  Timed#0 in Only {1, false, \"1\"}\n"}));
}

TEST(World, ATimerThatIsStartedAgainIsReplaced) {
  EXPECT_EQ(timed(3, false), (Endings{"  Timed#0 in Only {3, false, \"3\"}\n"}));
}

TEST(World, ATimerFiresBeforeItIsStoppedOrNotAtAll) {
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses", "pb"}) {
    EXPECT_EQ(timed(1, true, strategy), (Endings{"  Timed#0 in Only {1, true, \"s\"}\n",
                                                 "  Timed#0 in Only {1, true, \"s1\"}\n"}))
        << strategy;
  }
}

// --- Faults ---

struct Forgetful : Machine {
  int starts = 0;
  int events = 0;
  struct Only;
  static void define(Definition<Forgetful>& machine) {
    machine.state<Only>().entry(&Forgetful::enter).on<X>(&Forgetful::x);
  }
  void enter() { ++starts; }
  void x() { ++events; }
};

struct Durable : Machine {
  int starts = 0;
  int events = 0;
  struct Only;
  static void define(Definition<Durable>& machine) {
    machine.state<Only>().entry(&Durable::enter).on<X>(&Durable::x);
  }
  void crash() { events = 0; }
  void enter() { ++starts; }
  void x() { ++events; }
};

struct Environment : Machine {
  MachineId victim;
  bool restarts = false;
  struct Only;
  static void define(Definition<Environment>& machine) {
    machine.state<Only>().entry(&Environment::enter);
  }
  void enter() {
    crash(victim);
    if (restarts) restart(victim);
  }
};

template <typename Victim>
Endings after_crash(bool restarts, const std::string& strategy) {
  Endings endings;
  for (const std::string& ending : run_all(
                                       [restarts](System& system) {
                                         const MachineId victim = system.create(Victim{});
                                         system.create(Environment{{}, victim, restarts});
                                         system.send(victim, X{});
                                       },
                                       strategy)
                                       .endings) {
    endings.insert(ending.substr(0, ending.find('\n')));
  }
  return endings;
}

TEST(World, ACrashedMachineHandlesNothing) {
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses"}) {
    EXPECT_EQ(after_crash<Forgetful>(false, strategy), (Endings{"  Forgetful#0 (crashed) {0, 0}"}))
        << strategy;
    EXPECT_EQ(after_crash<Durable>(false, strategy),
              (Endings{"  Durable#0 (crashed) {0, 0}", "  Durable#0 (crashed) {1, 0}"}))
        << strategy;
  }
}

TEST(World, ARestartedMachineBeginsWithWhatSurvived) {
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses"}) {
    EXPECT_EQ(after_crash<Forgetful>(true, strategy), (Endings{"  Forgetful#0 in Only {1, 0}"}))
        << strategy;
    EXPECT_EQ(after_crash<Durable>(true, strategy),
              (Endings{"  Durable#0 in Only {1, 0}", "  Durable#0 in Only {2, 0}"}))
        << strategy;
  }
}

// A crash ends what a machine was about to do, and its timer.
struct Halfway : Machine {
  MachineId sink;
  struct Only;
  static void define(Definition<Halfway>& machine) {
    machine.state<Only>().entry(&Halfway::enter).on(&Halfway::tick);
  }
  void crash() {}
  void enter() {
    start_timer(Tick{});
    send(sink, Value{1});
    send(sink, Value{2});
  }
  void tick(const Tick&) { send(sink, Value{3}); }
};

TEST(World, ACrashInTheMiddleOfAHandlerCutsIt) {
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses"}) {
    const Runs runs = run_all(
        [](System& system) {
          const MachineId sink = system.create(Sink{});
          const MachineId victim = system.create(Halfway{{}, sink});
          system.create(Environment{{}, victim, false});
        },
        strategy);
    Endings logs;
    for (const std::string& ending : runs.endings) {
      logs.insert(ending.substr(0, ending.find('\n')));
    }
    EXPECT_EQ(logs, (Endings{"  Sink#0 in Only {\"\"}", "  Sink#0 in Only {\"1\"}",
                             "  Sink#0 in Only {\"12\"}", "  Sink#0 in Only {\"123\"}"}))
        << strategy;
  }
}

// What a crash leaves depends on how far the handler has come.
struct Writer : Machine {
  MachineId sink;
  int written = 0;
  struct Only;
  static void define(Definition<Writer>& machine) { machine.state<Only>().entry(&Writer::enter); }
  void crash() {}
  void enter() {
    written = 1;
    send(sink, Value{1});
    written = 2;
    send(sink, Value{2});
    written = 3;
    receive<X>();
    written = 4;
  }
};

TEST(World, ACrashFindsWhatWasWrittenBeforeTheNextEffect) {
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses"}) {
    const Runs runs = run_all(
        [](System& system) {
          const MachineId sink = system.create(Sink{});
          const MachineId writer = system.create(Writer{{}, sink, 0});
          system.create(Environment{{}, writer, false});
          system.send(writer, X{});
        },
        strategy);
    Endings written;
    for (const std::string& ending : runs.endings) {
      const std::size_t line = ending.find("Writer#1");
      ASSERT_NE(line, std::string::npos) << ending;
      written.insert(ending.substr(line, ending.find('\n', line) - line));
    }
    // Crashed before it began, behind the first send, behind the second one, at the end.
    EXPECT_EQ(written, (Endings{"Writer#1 (crashed) {#0, 0}", "Writer#1 (crashed) {#0, 2}",
                                "Writer#1 (crashed) {#0, 3}", "Writer#1 (crashed) {#0, 4}"}))
        << strategy;
  }
}

struct CrashesItsChild : Machine {
  struct Only;
  static void define(Definition<CrashesItsChild>& machine) {
    machine.state<Only>().entry(&CrashesItsChild::enter);
  }
  void enter() { crash(create(Sink{})); }
};

TEST(World, ACreatedMachineNeedsAMemberCrash) {
  EXPECT_EQ(error_of([](System& system) { system.create(CrashesItsChild{}); }),
            "Sink#1 was created by another machine and can be crashed only if it has a member "
            "`void crash()`, which forgets what does not survive");
}

// --- Bugs in handlers ---

enum class Way { require, assert_it, throw_error, throw_number, null_pointer, recurse, abort_it };

[[gnu::noinline]] int recurse(volatile int* depth) {
  volatile char room[1024] = {};
  if (*depth < 0) return 0;  // never
  room[0] = static_cast<char>(*depth + 1);
  int next = *depth + 1;
  return recurse(&next) + room[0];
}

struct Faulty : Machine {
  Way way = Way::require;
  MachineId sink;
  struct Only;
  static void define(Definition<Faulty>& machine) { machine.state<Only>().on<X>(&Faulty::x); }
  void x() {
    send(sink, Value{1});
    volatile int* volatile nowhere = nullptr;
    int zero = 0;
    switch (way) {
      case Way::require:
        return require(false, "as it must");
      case Way::assert_it:
        assert(zero == 1);
        return;
      case Way::throw_error:
        throw std::runtime_error("thrown");
      case Way::throw_number:
        throw 7;
      case Way::null_pointer:
        *nowhere = 1;
        return;
      case Way::recurse:
        recurse(&zero);
        return;
      case Way::abort_it:
        std::abort();
    }
  }
};

OneRun faulty(Way way) {
  return run_once([way](System& system) {
    const MachineId sink = system.create(Sink{});
    system.send(system.create(Faulty{{}, way, sink}), X{});
  });
}

std::string bug_of(Way way) {
  const OneRun run = faulty(way);
  return std::string(info(run.outcome.kind).name) + ": " + run.outcome.message;
}

TEST(World, WhatGoesWrongInAHandlerIsABug) {
  EXPECT_EQ(bug_of(Way::require), "assertion: as it must");
  EXPECT_EQ(bug_of(Way::throw_error), "exception: uncaught exception std::runtime_error: thrown");
  EXPECT_EQ(bug_of(Way::throw_number), "exception: uncaught exception int");
  EXPECT_EQ(bug_of(Way::null_pointer), "crash: crash: Segmentation fault");
  EXPECT_EQ(bug_of(Way::recurse), "crash: crash: Segmentation fault");
  EXPECT_EQ(bug_of(Way::abort_it), "crash: crash: Aborted");
  EXPECT_EQ(bug_of(Way::assert_it).find("assertion: assertion `zero == 1' failed in "), 0U);
}

TEST(World, WhatAHandlerDidBeforeItsBugHappensBeforeIt) {
  EXPECT_EQ(faulty(Way::require).ending.find("  Sink#0 in Only {\"1\"}"), 0U);
}

TEST(World, TheTestGoesOnAfterACrash) {
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(faulty(Way::null_pointer).outcome.kind, OutcomeKind::crash);
  }
}

// --- Mistakes ---

struct SendsToNobody : Machine {
  MachineId to;
  struct Only;
  static void define(Definition<SendsToNobody>& machine) {
    machine.state<Only>().entry(&SendsToNobody::enter);
  }
  void enter() { send(to, X{}); }
};

TEST(World, SendingToNobodyIsAMistake) {
  EXPECT_EQ(error_of([](System& system) { system.create(SendsToNobody{}); }),
            "SendsToNobody#0 sends to nobody: the MachineId was never set");
  EXPECT_EQ(error_of([](System& system) {
              system.create(SendsToNobody{{}, MachineId(9)});
            }),
            "SendsToNobody#0 sends to a machine that does not exist");
}

TEST(World, ASetUpCreatesAMachine) {
  EXPECT_EQ(error_of([](System&) {}), "the set-up creates no machine: there is nothing to run");
}

TEST(World, ASetUpSendsToMachinesThatItHasCreated) {
  EXPECT_EQ(error_of([](System& system) { system.send(MachineId(3), X{}); }),
            "the set-up uses a machine that it has not created");
}

TEST(World, HandlersNeedARunningSystem) {
  EXPECT_EQ(error_of([](System&) { SendsToNobody{}.enter(); }),
            "send, create, choose and similar calls are for the handlers of a machine: nothing is "
            "running here (in the set-up, use the System)");
}

struct Spinning : Machine {
  struct Only;
  static void define(Definition<Spinning>& machine) {
    machine.sealed();
    machine.state<Only>().on<X>(&Spinning::x);
  }
  void x() { send(self(), X{}); }
};

TEST(World, AMachineThatNeverComesToASchedulingPointIsALivelock) {
  EXPECT_EQ(run_all([](System& system) { system.send(system.create(Spinning{}), X{}); }).endings,
            (Endings{"livelock: Spinning#0 handles events forever without a scheduling point"}));
}

// --- Stopping ---

struct Perpetual : Machine {
  struct Only;
  static void define(Definition<Perpetual>& machine) { machine.state<Only>().on<X>(&Perpetual::x); }
  void x() { send(self(), X{}); }
};

TEST(World, AnExecutionEndsAtTheStepLimit) {
  const OneRun run =
      run_once([](System& system) { system.send(system.create(Perpetual{}), X{}); }, {}, 100);
  EXPECT_TRUE(run.reached_step_limit);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::ok);
}

}  // namespace
}  // namespace ricercar::machines
