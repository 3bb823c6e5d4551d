// Handlers that need not run again. What they count is outside of their machines on purpose: that
// is how a test sees whether they ran.
#include "machines/known_handlers.h"

#include <gtest/gtest.h>

#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

int calls = 0;

struct Ping {};
struct Pong {
  bool fast;
};

// Chooses, and its answer depends on that.
struct Server : Machine {
  MachineId client;
  struct Serving;
  static void define(Definition<Server>& machine) {
    machine.state<Serving>().on<Ping>(&Server::answer);
  }
  void answer() {
    ++calls;
    send(client, Pong{choose()});
  }
};

struct Client : Machine {
  MachineId server;
  bool was_fast = false;
  struct Asking;
  static void define(Definition<Client>& machine) { machine.state<Asking>().entry(&Client::ask); }
  void ask() {
    ++calls;
    send(server, Ping{});
    was_fast = receive<Pong>().fast;
  }
};

void set_up(System& system) {
  const MachineId server = system.create(Server{{}, MachineId(1)});
  system.create(Client{{}, server});
}

struct Blurred : Machine {
  int value = 0;
  struct Only;
  static void define(Definition<Blurred>& machine) { machine.state<Only>().entry(&Blurred::enter); }
  void enter() {
    ++calls;
    send(self(), Ping{});
    halt();
  }
  void hash(Hasher& hasher) const { hasher.add(std::uint64_t{1}); }
};

TEST(KnownHandlers, RunOnceForEachThingTheyAreTold) {
  calls = 0;
  const Runs runs = run_all(set_up, "dfs");
  // The client starts and goes on with a slow or a fast answer, the server chooses one or the
  // other.
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(runs.executions, 4U);  // two ways to start, two answers
  EXPECT_EQ(runs.endings.size(), 2U);
}

TEST(KnownHandlers, RunAgainIfTheHashNeedNotSayAll) {
  calls = 0;
  const auto two = [](System& system) {
    system.create(Blurred{});
    system.create(Blurred{});
  };
  const Runs runs = run_all(two, "dfs");
  EXPECT_EQ(calls, static_cast<int>(2 * runs.executions));
}

TEST(KnownHandlers, RunWhileAStoryIsTold) {
  calls = 0;
  run_once(set_up);
  run_once(set_up);
  EXPECT_EQ(calls, 2 * 3);  // the client twice, with what it has received
}

}  // namespace
}  // namespace ricercar::machines
