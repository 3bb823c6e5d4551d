// Monitors: what they see, safety, hot states at the end and along fair cycles.
#include <gtest/gtest.h>

#include <cassert>
#include <stdexcept>

#include "base/error.h"
#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

using Endings = std::set<std::string>;

struct Told {
  int value = 0;
};
struct Sent {
  int value = 0;
};
struct Again {};

std::string error_of(const SetUp& set_up) {
  try {
    run_all(set_up);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

// Announces a value, then sends it to itself.
struct Speaker : Machine {
  int value = 0;
  struct Only;
  static void define(Definition<Speaker>& machine) {
    machine.state<Only>().entry(&Speaker::enter).ignore<Sent>();
  }
  void enter() {
    announce(Told{value});
    send(self(), Sent{value});
  }
};

struct Ascending : Monitor {
  int last = 0;
  struct Only;
  static void define(Definition<Ascending>& monitor) { monitor.state<Only>().on(&Ascending::told); }
  void told(const Told& event) {
    require(event.value > last, "not ascending: " + std::to_string(event.value));
    last = event.value;
  }
};

SetUp two_speakers(const std::function<void(System&)>& more) {
  return [more](System& system) {
    more(system);
    system.create(Speaker{{}, 1});
    system.create(Speaker{{}, 2});
  };
}

TEST(Monitors, SafetyIsCheckedInEveryOrder) {
  const ricercar::SetUp set_up = two_speakers([](System& system) { system.monitor<Ascending>(); });
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses", "bestfirst"}) {
    const Runs runs = run_all(set_up, strategy);
    EXPECT_EQ(runs.endings, (Endings{"  Speaker#0 in Only {1}\n  Speaker#1 in Only {2}\n",
                                     "property: monitor Ascending: not ascending: 1"}))
        << strategy;
  }
}

// Only what it watches of what is sent, and everything that is announced and handled.
struct Listener : Monitor {
  std::string log;
  struct Only;
  static void define(Definition<Listener>& monitor) {
    monitor.watch<Sent>();
    monitor.state<Only>().on(&Listener::told).on(&Listener::sent);
  }
  void told(const Told& event) { log += "t" + std::to_string(event.value); }
  void sent(const Sent& event) {
    log += "s" + std::to_string(event.value);
    require(log.size() < 8, log);
  }
};

TEST(Monitors, SeeWhatIsAnnouncedAndWhatTheyWatchInOrder) {
  const ricercar::SetUp set_up = two_speakers([](System& system) { system.monitor<Listener>(); });
  EXPECT_EQ(run_all(set_up).endings, (Endings{"property: monitor Listener: t1s1t2s2",
                                              "property: monitor Listener: t2s2t1s1"}));
}

struct OnlyAscendingWatched : Monitor {
  struct Only;
  struct Done;
  static void define(Definition<OnlyAscendingWatched>& monitor) {
    monitor.watch<Sent>();
    monitor.state<Only>().go_to<Sent, Done>();
    monitor.state<Done>();
  }
};

TEST(Monitors, MustHandleWhatTheyWatch) {
  EXPECT_EQ(
      run_all(two_speakers([](System& system) { system.monitor<OnlyAscendingWatched>(); })).endings,
      (Endings{"property: monitor OnlyAscendingWatched: does not handle Sent{1} in its state "
               "Done",
               "property: monitor OnlyAscendingWatched: does not handle Sent{2} in its state "
               "Done"}));
}

// --- Hot states ---

struct Owes : Monitor {
  struct Calm;
  struct Owed;
  static void define(Definition<Owes>& monitor) {
    monitor.state<Calm>().on(&Owes::told).cold();
    monitor.state<Owed>().on(&Owes::told).hot();
  }
  void told(const Told& event) {
    if (event.value == 1) go_to<Owed>();
    if (event.value == 2) go_to<Calm>();
  }
};

TEST(Monitors, AHotStateAtTheEndIsABug) {
  const ricercar::SetUp set_up = two_speakers([](System& system) { system.monitor<Owes>(); });
  for (const char* strategy : {"dfs", "dpor", "bpor", "ses"}) {
    EXPECT_EQ(run_all(set_up, strategy).endings,
              (Endings{"  Speaker#0 in Only {1}\n  Speaker#1 in Only {2}\n",
                       "property: monitor Owes is in its hot state Owed at the end: nobody can go "
                       "on"}))
        << strategy;
  }
}

struct Looper : Machine {
  struct Only;
  static void define(Definition<Looper>& machine) {
    machine.state<Only>().entry(&Looper::again).on<Again>(&Looper::again);
  }
  void again() { send(self(), Again{}); }
};

TEST(Monitors, AHotCycleIsFoundWithItsLength) {
  const OneRun run = run_once([](System& system) {
    system.monitor<Owes>();
    system.create(Speaker{{}, 1});
    system.create(Looper{});
  });
  EXPECT_EQ(run.outcome.kind, OutcomeKind::property);
  EXPECT_EQ(run.outcome.message,
            "monitor Owes is in its hot state Owed forever: the last 2 steps can be repeated "
            "without end");
  EXPECT_EQ(run.cycle, 2U);  // it takes the event, it sends it
}

TEST(Monitors, ACycleThatKeepsSomebodyWaitingIsNotReported) {
  const ricercar::SetUp set_up = [](System& system) {
    system.monitor<Owes>();
    system.create(Speaker{{}, 1});
    system.create(Looper{});
    system.create(Speaker{{}, 2});  // would pay what is owed
  };
  const OneRun run = run_once(set_up, {}, 1000);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::ok) << run.outcome.message;
  EXPECT_TRUE(run.reached_step_limit);
}

TEST(Monitors, ACycleIsFairIfEverybodyRunsInIt) {
  // Each of them comes back to the same state alone; only together they are fair.
  const ricercar::SetUp set_up = [](System& system) {
    system.monitor<Owes>();
    system.create(Speaker{{}, 1});
    system.create(Looper{});
    system.create(Looper{});
  };
  std::uint32_t turn = 0;
  const OneRun run = run_once(set_up, [&turn](const TaskSet& enabled) -> std::uint32_t {
    if (enabled.contains(task_id(0))) return 0;
    return ++turn % 8 < 4 ? 1 : 2;
  });
  EXPECT_EQ(run.outcome.kind, OutcomeKind::property) << run.outcome.message;
  EXPECT_EQ(run.cycle, 4U);  // one turn of each
}

TEST(Monitors, ACycleThatIsColdInBetweenIsNoBug) {
  struct Repeating : Machine {
    struct Only;
    static void define(Definition<Repeating>& machine) {
      machine.state<Only>().entry(&Repeating::again).on<Again>(&Repeating::again);
    }
    void again() {
      announce(Told{1});
      send(self(), Again{});
      announce(Told{2});
    }
  };
  const OneRun run = run_once(
      [](System& system) {
        system.monitor<Owes>();
        system.create(Repeating{});
      },
      {}, 1000);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::ok) << run.outcome.message;
  EXPECT_TRUE(run.reached_step_limit);
}

// Owes while the other one does not.
struct OwesTheOther : Monitor {
  struct Owed;
  struct Calm;
  static void define(Definition<OwesTheOther>& monitor) {
    monitor.state<Owed>().on(&OwesTheOther::told).hot();
    monitor.state<Calm>().on(&OwesTheOther::told);
  }
  void told(const Told& event) {
    if (event.value == 1) go_to<Calm>();
    if (event.value == 2) go_to<Owed>();
  }
};

struct Alternating : Machine {
  int next = 1;
  struct Only;
  static void define(Definition<Alternating>& machine) {
    machine.state<Only>().entry(&Alternating::again).on<Again>(&Alternating::again);
  }
  void again() {
    announce(Told{next});
    next = 3 - next;
    send(self(), Again{});
  }
};

TEST(Monitors, TwoThatAreHotByTurnsAreNoBug) {
  const OneRun run = run_once(
      [](System& system) {
        system.monitor<Owes>();
        system.monitor<OwesTheOther>();
        system.create(Alternating{});
      },
      {}, 1000);
  EXPECT_EQ(run.outcome.kind, OutcomeKind::ok) << run.outcome.message;
  EXPECT_TRUE(run.reached_step_limit);
}

// --- What goes wrong in a monitor ---

struct Meddling : Monitor {
  struct Only;
  static void define(Definition<Meddling>& monitor) { monitor.state<Only>().on(&Meddling::told); }
  void told(const Told&) { detail::context().send(MachineId(0), detail::make_event(Again{})); }
};

TEST(Monitors, CannotSend) {
  EXPECT_EQ(error_of(two_speakers([](System& system) { system.monitor<Meddling>(); })),
            "a monitor only observes: it cannot send, create, choose, receive or halt");
}

enum class Way { assert_it, throw_it, null_pointer };

template <Way way>
struct Broken : Monitor {
  struct Only;
  static void define(Definition<Broken>& monitor) {
    monitor.template state<Only>().on(&Broken::told);
  }
  void told(const Told&) {
    volatile int* volatile nowhere = nullptr;
    if (way == Way::assert_it) assert(nowhere != nullptr);
    if (way == Way::throw_it) throw std::runtime_error("thrown");
    if (way == Way::null_pointer) *nowhere = 1;
  }
};

template <Way way>
OutcomeKind kind_of() {
  const OneRun run = run_once(two_speakers([](System& system) { system.monitor<Broken<way>>(); }));
  EXPECT_EQ(run.outcome.message.find("monitor "), 0U) << run.outcome.message;
  return run.outcome.kind;
}

TEST(Monitors, WhatGoesWrongInOneIsABug) {
  EXPECT_EQ(kind_of<Way::assert_it>(), OutcomeKind::assertion);
  EXPECT_EQ(kind_of<Way::throw_it>(), OutcomeKind::exception);
  EXPECT_EQ(kind_of<Way::null_pointer>(), OutcomeKind::crash);
}

TEST(Monitors, AreNotMachines) {
  EXPECT_EQ(error_of([](System& system) { system.create(Ascending{}); }),
            "System::create with a monitor: use System::monitor");
  EXPECT_EQ(error_of([](System& system) { system.monitor(Looper{}); }),
            "System::monitor with a machine: use System::create");
}

}  // namespace
}  // namespace ricercar::machines
