// Two-phase commit without faults, as small as commit.pml says it for spin: one coordinator, some
// participants that vote as they like, some rounds.
//
//   commit [participants] [rounds]
#include <ricercar/machine.h>

#include <cstdlib>
#include <vector>

namespace {

using ricercar::MachineId;

struct Prepare {};
struct Vote {
  bool yes;
};
struct Decision {
  bool commit;
};
struct Acknowledged {};

struct Coordinator : ricercar::Machine {
  std::vector<MachineId> participants;
  std::uint8_t rounds = 1;
  std::uint8_t missing = 0;
  bool commit = false;

  struct Voting;
  struct Deciding;
  static void define(ricercar::Definition<Coordinator>& machine) {
    machine.state<Voting>().entry(&Coordinator::begin).on(&Coordinator::vote);
    machine.state<Deciding>().entry(&Coordinator::decide).on<Acknowledged>(&Coordinator::end);
  }

  void begin() {
    missing = static_cast<std::uint8_t>(participants.size());
    commit = true;
    for (const MachineId participant : participants) send(participant, Prepare{});
  }
  void vote(const Vote& vote) {
    commit = commit && vote.yes;
    if (--missing == 0) go_to<Deciding>();
  }
  void decide() {
    missing = static_cast<std::uint8_t>(participants.size());
    for (const MachineId participant : participants) send(participant, Decision{commit});
  }
  void end() {
    if (--missing > 0) return;
    if (--rounds > 0) {
      go_to<Voting>();
    } else {
      halt();
    }
  }
};

struct Participant : ricercar::Machine {
  MachineId coordinator;
  bool voted_yes = false;

  struct Working;
  static void define(ricercar::Definition<Participant>& machine) {
    machine.state<Working>().on<Prepare>(&Participant::vote).on(&Participant::decide);
  }

  void vote() {
    voted_yes = choose();
    send(coordinator, Vote{voted_yes});
  }
  void decide(const Decision& decision) {
    require(!decision.commit || voted_yes, "committed against a vote");
    voted_yes = false;
    send(coordinator, Acknowledged{});
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int participants = count > 1 ? std::atoi(arguments[1]) : 5;
  const int rounds = count > 2 ? std::atoi(arguments[2]) : 2;
  return ricercar::run_machines(count, arguments, [&](ricercar::System& system) {
    Coordinator coordinator;
    coordinator.rounds = static_cast<std::uint8_t>(rounds);
    // The coordinator gets the number behind the participants'.
    for (int i = 0; i < participants; ++i) {
      Participant participant;
      participant.coordinator = MachineId(static_cast<std::uint32_t>(participants));
      coordinator.participants.push_back(system.create(participant));
    }
    system.create(coordinator);
  });
}
