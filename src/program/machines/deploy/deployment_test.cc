#include <gtest/gtest.h>
#include <ricercar/deploy.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace ricercar {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto long_enough = seconds(60);

// What machines tell the tests. A machine shares nothing with others, so this is cheating.
class Notes {
 public:
  void add(std::string note) {
    const std::lock_guard lock(mutex_);
    notes_.push_back(std::move(note));
  }
  std::vector<std::string> take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(notes_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> notes_;
};
Notes notes;

struct Numbered {
  MachineId from;
  int number;
};
struct Go {};
struct Stop {};
struct Word {
  std::string text;
};

std::vector<Failure> run(const SetUp& set_up, DeploymentOptions options = {.threads = 2}) {
  notes.take();
  Deployment deployment(std::move(options));
  set_up(deployment);
  deployment.start();
  return deployment.finish(long_enough);
}

// --- Order ---

struct Collector : Machine {
  std::map<MachineId, int> last;
  int expected = 0;
  int seen = 0;

  struct Collecting;
  static void define(Definition<Collector>& machine) {
    machine.state<Collecting>().on(&Collector::take);
  }
  void take(const Numbered& numbered) {
    int& before = last[numbered.from];
    require(numbered.number == before + 1, "out of order");
    before = numbered.number;
    if (++seen == expected) notes.add("complete");
  }
};

struct Sender : Machine {
  std::vector<MachineId> receivers;
  int count = 0;

  struct Sending;
  static void define(Definition<Sender>& machine) {
    machine.state<Sending>().entry(&Sender::send_all);
  }
  void send_all() {
    for (int i = 1; i <= count; ++i) {
      for (const MachineId receiver : receivers) send(receiver, Numbered{self(), i});
    }
  }
};

TEST(Deployment, EventsFromOneMachineToAnotherKeepTheirOrder) {
  constexpr int senders = 20, receivers = 10, count = 200;
  const auto failures = run(
      [](System& system) {
        std::vector<MachineId> all;
        for (int i = 0; i < receivers; ++i)
          all.push_back(system.create(Collector{{}, {}, senders * count}));
        for (int i = 0; i < senders; ++i) system.create(Sender{{}, all, count});
      },
      {.threads = 4});
  EXPECT_TRUE(failures.empty()) << failures[0].message;
  EXPECT_EQ(notes.take(), std::vector<std::string>(receivers, "complete"));
}

struct Relay : Machine {
  MachineId next;
  struct Relaying;
  static void define(Definition<Relay>& machine) {
    machine.state<Relaying>().on(&Relay::pass).on(&Relay::join);
  }
  void join(const Word&) {}
  void pass(const Numbered& numbered) {
    if (numbered.number > 0) send(next, Numbered{numbered.from, numbered.number - 1});
  }
};

TEST(Deployment, TokensGoRoundARingToTheLastOne) {
  Deployment deployment({.threads = 2});
  std::vector<MachineId> ring;
  for (int i = 0; i < 50; ++i)
    ring.push_back(deployment.create(Relay{{}, MachineId((i + 1) % 50)}));
  for (int i = 0; i < 10; ++i) deployment.send(ring[i], Numbered{MachineId(), 999});
  deployment.start();
  EXPECT_TRUE(deployment.finish(long_enough).empty());
  EXPECT_EQ(deployment.handled(), 10000U);
}

TEST(Deployment, ThreadsOutsideSendAtAnyTime) {
  notes.take();
  Deployment deployment({.threads = 2});
  const MachineId collector = deployment.create(Collector{{}, {}, 4000});
  deployment.start();
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int number = 1; number <= 1000; ++number)
        deployment.send(collector, Numbered{MachineId(100 + i), number});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(deployment.finish(long_enough).empty());
  EXPECT_EQ(notes.take(), std::vector<std::string>{"complete"});
}

// Resident memory in kilobytes.
long memory() {
  long all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * 4;
}

TEST(Deployment, MemoryDoesNotGrowWhereOneThreadMakesWhatAnotherGivesBack) {
  Deployment deployment({.threads = 1});
  const MachineId relay = deployment.create(Relay{});
  deployment.start();
  const auto send_waves = [&](int waves) {
    for (int wave = 0; wave < waves; ++wave) {
      for (int i = 0; i < 1000; ++i) deployment.send(relay, Numbered{MachineId(), 0});
      ASSERT_TRUE(deployment.wait_until_quiet(long_enough));
    }
  };
  send_waves(20);
  const long before = memory();
  send_waves(400);
  EXPECT_LT(memory() - before, 8 << 10) << "400000 events of at least 48 bytes";
}

// --- States ---

struct Walker : Machine {
  struct First;
  struct Second;
  struct Above;
  static void define(Definition<Walker>& machine) {
    machine.state<First>()
        .entry(&Walker::enter_first)
        .exit(&Walker::leave_first)
        .go_to<Go, Second>()
        .defer<Word>();
    machine.state<Second>()
        .entry(&Walker::enter_second)
        .exit(&Walker::leave_second)
        .on(&Walker::hear)
        .push<Go, Above>()
        .go_to<Stop, First>();
    machine.state<Above>()
        .entry(&Walker::enter_above)
        .exit(&Walker::leave_above)
        .ignore<Numbered>();
  }
  void enter_first() { notes.add("+first"); }
  void leave_first() { notes.add("-first"); }
  void enter_second() { notes.add("+second"); }
  void leave_second() { notes.add("-second"); }
  void enter_above() { notes.add("+above"); }
  void leave_above() { notes.add("-above"); }
  void hear(const Word& word) { notes.add(word.text); }
};

TEST(Deployment, StatesDeferIgnoreInheritAndLeaveWhatLiesAbove) {
  const auto failures = run([](System& system) {
    const MachineId walker = system.create(Walker{});
    system.send(walker, Word{"deferred"});
    system.send(walker, Go{});        // to the second state
    system.send(walker, Go{});        // the one above
    system.send(walker, Numbered{});  // ignored
    system.send(walker, Word{"inherited"});
    system.send(walker, Stop{});  // leaves both
  });
  EXPECT_TRUE(failures.empty()) << failures[0].message;
  EXPECT_EQ(notes.take(),
            (std::vector<std::string>{"+first", "-first", "+second", "deferred", "+above",
                                      "inherited", "-above", "-second", "+first"}));
}

struct Halting : Machine {
  struct Running;
  static void define(Definition<Halting>& machine) {
    machine.state<Running>().on<Stop>(&Halting::stop).on<Go>(&Halting::shout).on(&Halting::say);
  }
  void stop() { halt(); }
  void shout() { raise(Word{"raised"}); }
  void say(const Word& word) { notes.add(word.text); }
};

TEST(Deployment, RaisedEventsOvertakeAndHaltedMachinesTakeNothing) {
  const auto failures = run([](System& system) {
    const MachineId machine = system.create(Halting{});
    system.send(machine, Go{});
    system.send(machine, Word{"queued"});
    system.send(machine, Stop{});
    system.send(machine, Word{"too late"});
    system.send(machine, Numbered{});  // would not be handled
  });
  EXPECT_TRUE(failures.empty());
  EXPECT_EQ(notes.take(), (std::vector<std::string>{"raised", "queued"}));
}

// --- receive ---

struct Client : Machine {
  MachineId server;
  int rounds = 0;
  struct Asking;
  static void define(Definition<Client>& machine) {
    machine.state<Asking>().entry(&Client::ask).on(&Client::hear);
  }
  void hear(const Word& word) { notes.add(word.text); }
  void ask() {
    for (int i = 0; i < rounds; ++i) {
      send(server, Numbered{self(), i});
      const auto answer = receive<Numbered, Stop>();
      require(std::get<Numbered>(answer).number == i, "an answer to another question");
    }
    notes.add("asked");
  }
};
struct Server : Machine {
  struct Serving;
  static void define(Definition<Server>& machine) { machine.state<Serving>().on(&Server::answer); }
  void answer(const Numbered& question) { send(question.from, Numbered{self(), question.number}); }
};

TEST(Deployment, ManyMachinesMayWaitInReceiveOnTwoThreads) {
  const auto failures = run([](System& system) {
    const MachineId server = system.create(Server{});
    for (int i = 0; i < 40; ++i) {
      const MachineId client = system.create(Client{{}, server, 20});
      system.send(client, Word{"left alone"});
    }
  });
  EXPECT_TRUE(failures.empty()) << failures[0].message;
  std::map<std::string, int> counts;
  for (const std::string& note : notes.take()) ++counts[note];
  EXPECT_EQ(counts, (std::map<std::string, int>{{"asked", 40}, {"left alone", 40}}));
}

TEST(Deployment, MachinesThatWaitAtTheEndAreADeadlock) {
  const auto failures = run([](System& system) {
    const MachineId silent = system.create(Collector{});
    system.create(Client{{}, silent, 0});
    const MachineId other = system.create(Halting{});
    system.send(other, Stop{});
    system.create(Client{{}, other, 1});
  });
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].kind, "deadlock");
  EXPECT_EQ(failures[0].machine, "Client#3");
}

TEST(Deployment, TooManyWaitingMachinesAreNamed) {
  const auto failures = run(
      [](System& system) {
        const MachineId silent = system.create(Halting{});
        system.send(silent, Stop{});
        for (int i = 0; i < 5; ++i) system.create(Client{{}, silent, 1});
      },
      {.threads = 1, .most_threads = 3});
  ASSERT_FALSE(failures.empty());
  EXPECT_EQ(failures[0].kind, "assertion");
  EXPECT_NE(failures[0].message.find("most_threads"), std::string::npos) << failures[0].message;
}

TEST(Deployment, StopEndsMachinesThatWait) {
  Deployment deployment({.threads = 2});
  const MachineId silent = deployment.create(Halting{});
  deployment.send(silent, Stop{});
  for (int i = 0; i < 5; ++i) deployment.create(Client{{}, silent, 1});
  deployment.start();
  EXPECT_TRUE(deployment.wait_until_quiet(long_enough));
  deployment.stop();
  EXPECT_TRUE(deployment.failures().empty());
}

// --- Failures ---

struct Fragile : Machine {
  struct Here;
  static void define(Definition<Fragile>& machine) {
    machine.state<Here>().on<Go>(&Fragile::break_promise).on<Stop>(&Fragile::raise_exception);
  }
  void break_promise() { require(false, "promised"); }
  void raise_exception() { throw std::runtime_error("thrown"); }
};

TEST(Deployment, FailuresSayWhatHappenedWhere) {
  const auto failure_of = [](auto event) {
    const auto failures = run([&](System& system) {
      system.create(Server{});
      system.send(system.create(Fragile{}), event);
    });
    EXPECT_EQ(failures.size(), 1U);
    return failures.empty() ? Failure{} : failures[0];
  };
  EXPECT_EQ(failure_of(Go{}).kind, "assertion");
  EXPECT_EQ(failure_of(Go{}).message, "promised");
  EXPECT_EQ(failure_of(Go{}).machine, "Fragile#1");
  EXPECT_EQ(failure_of(Go{}).id, MachineId(1));
  EXPECT_EQ(failure_of(Stop{}).kind, "exception");
  EXPECT_EQ(failure_of(Stop{}).message, "thrown");
  EXPECT_EQ(failure_of(Word{"w"}).kind, "unhandled-event");
  EXPECT_EQ(failure_of(Word{"w"}).message,
            "Fragile#1 does not handle Word{\"w\"} in its state Here");
}

TEST(Deployment, OthersGoOnIfTheyMay) {
  std::atomic<int> told = 0;
  const auto failures = run(
      [](System& system) {
        for (int i = 0; i < 10; ++i) {
          const MachineId fragile = system.create(Fragile{});
          system.send(fragile, Go{});
          system.send(fragile, Go{});
        }
      },
      {.threads = 2, .stop_at_failure = false, .on_failure = [&](const Failure&) { ++told; }});
  EXPECT_EQ(failures.size(), 10U);
  EXPECT_EQ(told, 10);
}

TEST(Deployment, SendingToNobodyIsAMistake) {
  const auto failures = run([](System& system) { system.create(Client{{}, MachineId(), 1}); });
  ASSERT_EQ(failures.size(), 1U);
  EXPECT_EQ(failures[0].kind, "usage");
}

// --- Timers, choose ---

struct Sleeper : Machine {
  struct Sleeping;
  static void define(Definition<Sleeper>& machine) {
    machine.state<Sleeping>().entry(&Sleeper::begin).on(&Sleeper::wake).on<Stop>(&Sleeper::never);
  }
  void begin() {
    start_timer(Word{"replaced"}, milliseconds(1));
    start_timer(Word{"slow"}, milliseconds(60));
    start_timer(Stop{}, milliseconds(20));
    stop_timer<Stop>();
  }
  void wake(const Word& word) { notes.add(word.text); }
  void never() { require(false, "a stopped timer has fired"); }
};

TEST(Deployment, TimersFireInRealTimeOnce) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(run([](System& system) { system.create(Sleeper{}); }).empty());
  EXPECT_EQ(notes.take(), std::vector<std::string>{"slow"});
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(60));
}

struct Gambler : Machine {
  struct Playing;
  static void define(Definition<Gambler>& machine) {
    machine.state<Playing>().entry(&Gambler::play);
  }
  void play() {
    std::string drawn;
    for (int i = 0; i < 20; ++i) drawn += std::to_string(choose_between(1, 6));
    notes.add(drawn);
  }
};

TEST(Deployment, ChoicesFollowTheSeed) {
  const auto play = [](std::uint64_t seed) {
    run([](System& system) { system.create(Gambler{}); }, {.threads = 1, .seed = seed});
    return notes.take();
  };
  EXPECT_EQ(play(7), play(7));
  EXPECT_NE(play(7), play(8));
}

// --- Crash and restart ---

struct Disk : Machine {
  int kept = 0;
  int lost = 0;
  struct Up;
  static void define(Definition<Disk>& machine) {
    machine.state<Up>().entry(&Disk::begin).on(&Disk::store);
  }
  void begin() { notes.add("up " + std::to_string(kept) + " " + std::to_string(lost)); }
  void store(const Numbered& numbered) {
    kept += numbered.number;
    lost += numbered.number;
    send(numbered.from, Go{});
  }
  void crash() { lost = 0; }
};
struct Plain : Machine {
  int value = 5;
  struct Up;
  static void define(Definition<Plain>& machine) {
    machine.state<Up>().entry(&Plain::begin).on(&Plain::store);
  }
  void begin() { notes.add("plain " + std::to_string(value)); }
  void store(const Numbered& numbered) {
    value = numbered.number;
    send(numbered.from, Go{});
  }
};
struct Fault : Machine {
  MachineId victim;
  struct Before;
  struct After;
  static void define(Definition<Fault>& machine) {
    machine.state<Before>().entry(&Fault::store).on<Go>(&Fault::strike);
    machine.state<After>();
  }
  void store() { send(victim, Numbered{self(), 3}); }
  void strike() {
    crash(victim);
    send(victim, Word{"lost, and would not be handled"});
    restart(victim);
    go_to<After>();
  }
};

TEST(Deployment, ACrashKeepsWhatTheMachineSays) {
  EXPECT_TRUE(run([](System& system) { system.create(Fault{{}, system.create(Disk{})}); }).empty());
  EXPECT_EQ(notes.take(), (std::vector<std::string>{"up 0 0", "up 3 0"}));
  EXPECT_TRUE(run([](System& system) {
                system.create(Fault{{}, system.create(Plain{{}, 8})});
              }).empty());
  EXPECT_EQ(notes.take(), (std::vector<std::string>{"plain 8", "plain 8"}));
}

// A machine that is crashed again and again while it works never loses its order, and what it waits
// for in receive() does not keep it from falling.
struct Waiting : Machine {
  struct Up;
  static void define(Definition<Waiting>& machine) { machine.state<Up>().entry(&Waiting::begin); }
  void begin() {
    notes.add("waits");
    receive<Go>();
    notes.add("gone on");
  }
};
struct Hammer : Machine {
  MachineId victim;
  struct Striking;
  static void define(Definition<Hammer>& machine) {
    machine.state<Striking>().entry(&Hammer::wait).on<Stop>(&Hammer::strike);
  }
  void wait() { start_timer(Stop{}, milliseconds(20)); }
  void strike() {
    for (int i = 0; i < 50; ++i) {
      crash(victim);
      restart(victim);
    }
    send(victim, Go{});
  }
};

TEST(Deployment, ACrashEndsAWaitInReceive) {
  EXPECT_TRUE(run([](System& system) {
                system.create(Hammer{{}, system.create(Waiting{})});
              }).empty());
  const std::vector<std::string> seen = notes.take();
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen.back(), "gone on");
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "gone on"), 1);
}

// --- Monitors ---

struct Sum : Monitor {
  int total = 0;
  int expected = 0;
  struct Short;
  struct Reached;
  static void define(Definition<Sum>& monitor) {
    monitor.state<Short>().hot().on(&Sum::add);
    monitor.state<Reached>().cold().on(&Sum::add);
    monitor.watch<Numbered>();
  }
  void add(const Numbered& numbered) {
    total += numbered.number;
    require(total <= expected, "too much");
    if (total == expected) go_to<Reached>();
  }
};

TEST(Deployment, MonitorsSeeWhatIsSentInOneOrder) {
  const auto with_expected = [](int expected) {
    return run(
        [expected](System& system) {
          system.monitor(Sum{{}, 0, expected});
          const MachineId collector = system.create(Collector{});
          for (int i = 0; i < 8; ++i) system.create(Sender{{}, {collector}, 100});
        },
        {.threads = 4});
  };
  EXPECT_TRUE(with_expected(8 * 5050).empty());
  const auto too_much = with_expected(8 * 5050 - 1);
  ASSERT_EQ(too_much.size(), 1U);
  EXPECT_EQ(too_much[0].kind, "property");
  EXPECT_EQ(too_much[0].message, "monitor Sum: too much");
  const auto owed = with_expected(8 * 5050 + 1);
  ASSERT_EQ(owed.size(), 1U);
  EXPECT_EQ(owed[0].message, "monitor Sum: is in its hot state Short at the end");
}

struct Spawner : Machine {
  int depth = 0;
  struct Spawning;
  static void define(Definition<Spawner>& machine) {
    machine.state<Spawning>().entry(&Spawner::spawn);
  }
  void spawn() {
    if (depth > 0) {
      create(Spawner{{}, depth - 1});
      create(Spawner{{}, depth - 1});
    } else {
      notes.add("leaf");
    }
    halt();
  }
};

TEST(Deployment, MachinesCreateMachines) {
  EXPECT_TRUE(run([](System& system) { system.create(Spawner{{}, 11}); }).empty());
  EXPECT_EQ(notes.take().size(), 2048U);
}

}  // namespace
}  // namespace ricercar
