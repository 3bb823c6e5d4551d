// Two-phase commit: a coordinator asks the participants to vote on a transaction, and commits it if
// all of them say yes in time. The same machines are searched (checked.cc), run on the threads of
// one process (checked.cc, started by hand) and run in several processes (node.cc).
#pragma once

#include <ricercar/machine.h>

#include <chrono>
#include <map>
#include <vector>

namespace two_phase_commit {

using ricercar::Definition;
using ricercar::Machine;
using ricercar::MachineId;
using ricercar::Monitor;

// From the client and back.
struct Begin {
  MachineId client;
};
struct Finished {};
struct Finish {
  int more = 0;  // transactions before the client ends
};

// Between the coordinator and the participants.
struct Prepare {
  MachineId coordinator;
  int transaction = 0;
};
struct Vote {
  int transaction = 0;
  bool yes = false;
};
struct Decision {
  int transaction = 0;
  bool commit = false;
};
struct VotesAreDue {};

// For monitors.
struct Voted {
  int transaction = 0;
  bool yes = false;
};
struct Decided {
  int transaction = 0;
  bool commit = false;
};
struct Applied {
  int transaction = 0;
  bool commit = false;
};

struct Participant : Machine {
  bool hasty = false;  // the bug: does not wait for the decision after a yes

  struct Working;
  static void define(Definition<Participant>& machine) {
    machine.state<Working>().on(&Participant::prepare).on(&Participant::apply);
  }

  void prepare(const Prepare& asked) {
    const bool yes = choose(4) != 0;
    announce(Voted{asked.transaction, yes});
    send(asked.coordinator, Vote{asked.transaction, yes});
    if (hasty && yes) announce(Applied{asked.transaction, true});
  }
  void apply(const Decision& decision) {
    if (!hasty) announce(Applied{decision.transaction, decision.commit});
  }
};

struct Coordinator : Machine {
  std::vector<MachineId> participants;
  int transaction = 0;
  MachineId client = {};
  std::size_t yes_votes = 0;

  struct Idle;
  struct Voting;
  static void define(Definition<Coordinator>& machine) {
    machine.state<Idle>().on(&Coordinator::begin).ignore<Vote, VotesAreDue>();
    machine.state<Voting>()
        .defer<Begin>()
        .on(&Coordinator::count)
        .on<VotesAreDue>(&Coordinator::give_up);
  }

  void begin(const Begin& asked) {
    client = asked.client;
    ++transaction;
    yes_votes = 0;
    for (const MachineId participant : participants) {
      send(participant, Prepare{self(), transaction});
    }
    start_timer(VotesAreDue{}, std::chrono::milliseconds(50));
    go_to<Voting>();
  }
  void count(const Vote& vote) {
    if (vote.transaction != transaction) return;  // too late for an earlier one
    if (!vote.yes) return decide(false);
    if (++yes_votes == participants.size()) decide(true);
  }
  void give_up() { decide(false); }

  void decide(bool commit) {
    stop_timer<VotesAreDue>();
    announce(Decided{transaction, commit});
    for (const MachineId participant : participants) {
      send(participant, Decision{transaction, commit});
    }
    send(client, Finished{});
    go_to<Idle>();
  }
};

// One transaction after the other until it is told to finish.
struct Client : Machine {
  MachineId coordinator;
  int left = -1;  // negative: no end in sight

  struct Asking;
  static void define(Definition<Client>& machine) {
    machine.state<Asking>().entry(&Client::ask).on<Finished>(&Client::go_on).on(&Client::finish);
  }
  void ask() { send(coordinator, Begin{self()}); }
  void finish(const Finish& asked) { left = asked.more; }
  void go_on() {
    if (left == 0) return halt();
    if (left > 0) --left;
    ask();
  }
};

// All or none: what a participant applies is what was decided before, and a transaction is
// committed only if all have voted for it.
struct Atomicity : Monitor {
  int participants = 0;
  std::map<int, int> yes_votes = {};
  std::map<int, bool> decisions = {};

  struct Watching;
  static void define(Definition<Atomicity>& monitor) {
    monitor.state<Watching>().on(&Atomicity::voted).on(&Atomicity::decided).on(&Atomicity::applied);
  }
  void voted(const Voted& vote) { yes_votes[vote.transaction] += vote.yes ? 1 : 0; }
  void decided(const Decided& decision) {
    require(!decision.commit || yes_votes[decision.transaction] == participants,
            "committed, but not all have voted for it");
    decisions[decision.transaction] = decision.commit;
  }
  void applied(const Applied& applied) {
    const auto decision = decisions.find(applied.transaction);
    require(decision != decisions.end(), "applied before the decision");
    require(decision->second == applied.commit, "applied something else than was decided");
  }
};

}  // namespace two_phase_commit
