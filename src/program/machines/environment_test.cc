// The parts of <ricercar/environment.h>, each by the set of all histories that it makes possible.
#include <gtest/gtest.h>
#include <ricercar/environment.h>

#include <set>

namespace ricercar::environment {
namespace {

using History = std::vector<int>;

struct Item {
  int number;
};
struct Noted {
  int number;
};

// In a hot state at the end of just those executions whose history is the wanted one.
struct Ending : Monitor {
  History wanted;
  History noted;

  struct Comparing;
  struct Same;
  struct Different;

  static void define(Definition<Ending>& monitor) {
    monitor.state<Comparing>().entry(&Ending::compare);
    monitor.state<Same>().hot().on(&Ending::note);
    monitor.state<Different>().on(&Ending::note);
  }

  void note(const Noted& event) {
    noted.push_back(event.number);
    go_to<Comparing>();
  }
  void compare() {
    if (noted == wanted) return go_to<Same>();
    go_to<Different>();
  }
};

bool is_possible(const History& history, const SetUp& set_up) {
  const Result result = check_machines({.strategy = "dfs", .executions = 0}, [&](System& system) {
    system.monitor(Ending{.wanted = history});
    set_up(system);
  });
  EXPECT_TRUE(result.error.empty()) << result;
  EXPECT_TRUE(result.complete || !result.bugs.empty()) << result;
  return !result.bugs.empty();
}

// All histories of at most three of these numbers that an execution can have.
std::set<History> histories(const std::vector<int>& numbers, const SetUp& set_up) {
  std::vector<History> candidates = {{}};
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].size() == 3) continue;
    for (const int number : numbers) {
      History longer = candidates[i];
      longer.push_back(number);
      candidates.push_back(longer);
    }
  }
  std::set<History> possible;
  for (const History& candidate : candidates) {
    if (is_possible(candidate, set_up)) possible.insert(candidate);
  }
  return possible;
}

// --- The network ---

struct Receiver : Machine {
  struct Listening;

  static void define(Definition<Receiver>& machine) {
    machine.state<Listening>().on(&Receiver::receive_item);
  }
  void receive_item(const Item& item) { announce(Noted{item.number}); }
};

struct Sender : Machine {
  MachineId channel;
  MachineId receiver;

  struct Sending;

  static void define(Definition<Sender>& machine) {
    machine.state<Sending>().entry(&Sender::send_items);
  }
  void send_items() {
    send_through(channel, receiver, Item{1});
    send_through(channel, receiver, Item{2});
  }
};

std::set<History> histories_of(const Channel& channel) {
  return histories({1, 2}, [&](System& system) {
    const MachineId receiver = system.create(Receiver{});
    const MachineId network = system.create(channel);
    system.create(Sender{.channel = network, .receiver = receiver});
  });
}

TEST(Channel, ForwardsInOrder) { EXPECT_EQ(histories_of(Channel{}), (std::set<History>{{1, 2}})); }

TEST(Channel, LosesAsManyAsItsBudgetAllows) {
  EXPECT_EQ(histories_of(Channel{.losses = 1}), (std::set<History>{{1}, {1, 2}, {2}}));
  EXPECT_EQ(histories_of(Channel{.losses = 2}), (std::set<History>{{}, {1}, {1, 2}, {2}}));
}

TEST(Channel, DoublesOne) {
  EXPECT_EQ(histories_of(Channel{.duplicates = 1}),
            (std::set<History>{{1, 1, 2}, {1, 2}, {1, 2, 2}}));
}

TEST(Channel, LetsOneBeOvertaken) {
  EXPECT_EQ(histories_of(Channel{.reorderings = 1}), (std::set<History>{{1, 2}, {2, 1}}));
}

TEST(Channel, LosesOneAndLetsTheOtherComeTwice) {
  EXPECT_EQ(histories_of(Channel{.losses = 1, .duplicates = 1}),
            (std::set<History>{{1}, {1, 1}, {1, 1, 2}, {1, 2}, {1, 2, 2}, {2}, {2, 2}}));
}

TEST(SendThrough, SendsDirectlyWithoutAChannel) {
  const ricercar::SetUp set_up = [](System& system) {
    const MachineId receiver = system.create(Receiver{});
    system.create(Sender{.receiver = receiver});
  };
  EXPECT_EQ(histories({1, 2}, set_up), (std::set<History>{{1, 2}}));
}

TEST(AnyEvent, IsHashedAndDescribedAsWhatItHolds) {
  const auto hash = [](const AnyEvent& event) {
    Hasher hasher;
    event.hash(hasher);
    return hasher.result();
  };
  EXPECT_EQ(hash(AnyEvent(Item{1})), hash(AnyEvent(Item{1})));
  EXPECT_FALSE(hash(AnyEvent(Item{1})) == hash(AnyEvent(Item{2})));
  EXPECT_FALSE(hash(AnyEvent(Item{1})) == hash(AnyEvent(Noted{1})));
  EXPECT_FALSE(hash(AnyEvent()) == hash(AnyEvent(Item{0})));
  std::string text;
  AnyEvent(Item{7}).describe(text);
  EXPECT_EQ(text, "Item{7}");
  EXPECT_TRUE(AnyEvent(Item{7}).is<Item>());
  EXPECT_FALSE(AnyEvent(Item{7}).is<Noted>());
}

// --- Crashes and detectors ---

// Counts how often it was started; the count survives.
struct Victim : Machine {
  int starts = 0;
  bool notes = true;

  struct Running;

  static void define(Definition<Victim>& machine) {
    machine.state<Running>().entry(&Victim::start).on(&Victim::ping);
  }
  void start() {
    ++starts;
    if (notes) announce(Noted{starts});
  }
  void ping(const Ping& ping) { send(ping.from, Pong{self(), ping.round}); }
  void crash() {}
};

// Notes 1 for a suspicion and 2 for its end.
struct Listener : Machine {
  struct Listening;

  static void define(Definition<Listener>& machine) {
    machine.state<Listening>().on<Suspected>(&Listener::suspected).on<Trusted>(&Listener::trusted);
  }
  void suspected() { announce(Noted{1}); }
  void trusted() { announce(Noted{2}); }
};

std::set<History> starts_of(int crashes, bool restarts) {
  return histories({1, 2, 3}, [=](System& system) {
    const MachineId victim = system.create(Victim{});
    system.create(CrashInjector{.victims = {victim}, .crashes = crashes, .restarts = restarts});
  });
}

TEST(CrashInjector, CrashesOnceOrNot) {
  EXPECT_EQ(starts_of(1, true), (std::set<History>{{1}, {1, 2}}));
}

TEST(CrashInjector, CrashesUpToTwice) {
  EXPECT_EQ(starts_of(2, true), (std::set<History>{{1}, {1, 2}, {1, 2, 3}}));
}

TEST(CrashInjector, LeavesMachinesDownIfAskedTo) {
  EXPECT_EQ(starts_of(1, false), (std::set<History>{{}, {1}}));
}

std::set<History> suspicions_of(int crashes, bool restarts, int mistakes) {
  return histories({1, 2}, [=](System& system) {
    const MachineId victim = system.create(Victim{.notes = false});
    const MachineId listener = system.create(Listener{});
    const MachineId detector = system.create(
        FailureDetector{.watched = {victim}, .listeners = {listener}, .mistakes = mistakes});
    system.create(CrashInjector{
        .victims = {victim}, .crashes = crashes, .restarts = restarts, .observer = detector});
  });
}

TEST(FailureDetector, SuspectsWhoIsDown) {
  EXPECT_EQ(suspicions_of(1, false, 0), (std::set<History>{{}, {1}}));
  EXPECT_EQ(suspicions_of(1, true, 0), (std::set<History>{{}, {1, 2}}));
}

TEST(FailureDetector, TakesItsMistakesBack) {
  EXPECT_EQ(suspicions_of(0, false, 1), (std::set<History>{{}, {1, 2}}));
}

TEST(FailureDetector, KeepsASuspicionThatTurnsOutToBeRight) {
  EXPECT_EQ(suspicions_of(1, false, 1), (std::set<History>{{}, {1}, {1, 2}, {1, 2, 1}}));
}

// Takes pings and says nothing.
struct Mute : Machine {
  struct Sulking;

  static void define(Definition<Mute>& machine) { machine.state<Sulking>().ignore<Ping>(); }
};

std::set<History> ping_suspicions(bool answers, int rounds) {
  return histories({1, 2}, [=](System& system) {
    const MachineId watched =
        answers ? system.create(Victim{.notes = false}) : system.create(Mute{});
    const MachineId listener = system.create(Listener{});
    system.create(PingDetector{.watched = {watched}, .listeners = {listener}, .rounds = rounds});
  });
}

TEST(PingDetector, SuspectsForAWhileWhoIsSlow) {
  EXPECT_EQ(ping_suspicions(true, 1), (std::set<History>{{}, {1, 2}}));
}

TEST(PingDetector, SuspectsWhoIsSilentOnce) {
  EXPECT_EQ(ping_suspicions(false, 2), (std::set<History>{{1}}));
}

}  // namespace
}  // namespace ricercar::environment
