// Interchangeable machines: states that differ only in the names of machines count as one.
#include <gtest/gtest.h>

#include "base/error.h"
#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

struct Note {};
struct Ask {
  MachineId from;
};

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

std::string coverage(int machines, int slots, bool symmetric) {
  return run_all(
             [=](System& system) {
               std::vector<MachineId> all;
               for (int i = 0; i < machines; ++i) all.push_back(system.create(Selfish{{}, slots}));
               if (symmetric) system.symmetric(all);
             },
             "ses")
      .coverage;
}

TEST(Symmetry, StatesAreCountedUpToNames) {
  EXPECT_EQ(coverage(2, 2, false), "every state: 9");  // 3^2
  EXPECT_EQ(coverage(2, 2, true), "every state: 6");   // multisets of 2 of 3
  EXPECT_EQ(coverage(3, 1, false), "every state: 8");  // 2^3
  EXPECT_EQ(coverage(3, 1, true), "every state: 4");   // multisets of 3 of 2
  EXPECT_EQ(coverage(4, 3, true), "every state: 35");  // multisets of 4 of 4
}

// Keeps who asked first.
struct Server : Machine {
  MachineId first;
  struct Only;
  static void define(Definition<Server>& machine) { machine.state<Only>().on(&Server::ask); }
  void ask(const Ask& event) {
    if (!first) first = event.from;
  }
};

struct Client : Machine {
  MachineId server;
  struct Only;
  static void define(Definition<Client>& machine) { machine.state<Only>().entry(&Client::enter); }
  void enter() { send(server, Ask{self()}); }
};

Runs first_come(bool symmetric) {
  return run_all(
      [=](System& system) {
        const MachineId server = system.create(Server{});
        const MachineId one = system.create(Client{{}, server});
        const MachineId two = system.create(Client{{}, server});
        if (symmetric) system.symmetric(one, two);
      },
      "ses");
}

TEST(Symmetry, NamesInVariablesAndEventsAreRenamedToo) {
  EXPECT_EQ(first_come(false).endings.size(), 2U);
  EXPECT_EQ(first_come(true).endings.size(), 1U);
}

std::string error_of(const SetUp& set_up) {
  try {
    make_system(set_up);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Symmetry, IsForAFewMachinesOfOneType) {
  EXPECT_EQ(error_of([](System& system) {
              const MachineId server = system.create(Server{});
              system.symmetric(server, system.create(Client{{}, server}));
            }),
            "interchangeable machines are of one type");
  EXPECT_EQ(error_of([](System& system) {
              std::vector<MachineId> all;
              for (int i = 0; i < 7; ++i) all.push_back(system.create(Selfish{}));
              system.symmetric(all);
            }),
            "at most 6 machines can be made interchangeable");
  EXPECT_EQ(error_of([](System& system) {
              system.create(Selfish{});
              system.symmetric(MachineId(0), MachineId(5));
            }),
            "the set-up uses a machine that it has not created");
}

}  // namespace
}  // namespace ricercar::machines
