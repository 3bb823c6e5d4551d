// Single-decree Paxos (Lamport, "Paxos Made Simple", 2001): proposers, acceptors and a learner that
// agree on one value although messages are lost, doubled or late and acceptors crash and restart.
#pragma once

#include <ricercar/environment.h>

#include <map>
#include <set>
#include <vector>

#include "../bugs.h"

namespace paxos {

using ricercar::MachineId;
using ricercar::environment::send_through;
using ricercar::suite::bug;

using Ballot = int;  // 0 is below all ballots; ballot b belongs to proposer b modulo their number
using Value = int;

// --- Messages ---

struct Prepare {
  MachineId proposer;
  Ballot ballot;
};
struct Promise {
  MachineId acceptor;
  Ballot ballot;
  Ballot accepted_ballot;  // 0: nothing accepted yet
  Value accepted_value;
};
struct Accept {
  MachineId proposer;
  Ballot ballot;
  Value value;
};
struct Accepted {
  MachineId acceptor;
  Ballot ballot;
  Value value;
};
// The acceptor has promised a higher ballot.
struct Refused {
  Ballot ballot;
  Ballot promised;
};
struct Decided {
  Value value;
};

// --- What the monitors are told ---

struct Proposed {
  Value value;
};
struct Voted {
  MachineId acceptor;
  Ballot ballot;
  Value value;
};
struct Learned {
  Value value;
};

inline std::size_t quorum(std::size_t acceptors) {
  return bug(2) ? (acceptors + 1) / 2 : acceptors / 2 + 1;
}

struct Acceptor : ricercar::Machine {
  MachineId network;
  std::vector<MachineId> learners;
  Ballot promised = 0;
  Ballot accepted_ballot = 0;
  Value accepted_value = 0;

  struct Voting;

  static void define(ricercar::Definition<Acceptor>& machine) {
    machine.state<Voting>().on(&Acceptor::prepare).on(&Acceptor::accept);
  }

  // All of it is on stable storage.
  void crash() {
    if (bug(7)) promised = accepted_ballot;
  }

  // A Prepare that comes twice is answered twice: the first promise may have been lost.
  void prepare(const Prepare& request) {
    if (request.ballot < promised) return refuse(request.proposer, request.ballot);
    promised = request.ballot;
    send_through(network, request.proposer,
                 Promise{self(), request.ballot, accepted_ballot, accepted_value});
  }

  void accept(const Accept& request) {
    if (request.ballot < promised) return refuse(request.proposer, request.ballot);
    if (!bug(1)) promised = request.ballot;
    accepted_ballot = request.ballot;
    accepted_value = request.value;
    announce(Voted{self(), request.ballot, request.value});
    for (const MachineId learner : learners) {
      send_through(network, learner, Accepted{self(), request.ballot, request.value});
    }
  }

  void refuse(MachineId proposer, Ballot ballot) {
    send_through(network, proposer, Refused{ballot, promised});
  }
};

// Tries to have its value chosen, with higher ballots after refusals and time-outs, until a learner
// says that something has been decided or its attempts are used up.
struct Proposer : ricercar::Machine {
  MachineId network;
  std::vector<MachineId> acceptors;
  bool thrifty = false;  // asks no more than a majority for promises; each proposer another one
  int index = 0;
  int proposers = 1;
  Value value = 0;
  int attempts = 1;
  Ballot ballot = 0;
  std::multiset<MachineId> promises;
  Ballot adopted_ballot = 0;  // the highest one that a promise has told of
  Value adopted_value = 0;

  struct Idle;
  struct Preparing;
  struct Accepting;
  struct Finished;
  struct Start {};
  struct TimeOut {
    Ballot ballot;
  };

  static void define(ricercar::Definition<Proposer>& machine) {
    machine.state<Idle>().on<Start>(&Proposer::start);
    machine.state<Preparing>()
        .on(&Proposer::promised)
        .on(&Proposer::refused)
        .on(&Proposer::timed_out)
        .go_to<Decided, Finished>();
    machine.state<Accepting>()
        .on(&Proposer::refused)
        .on(&Proposer::timed_out)
        .go_to<Decided, Finished>()
        .ignore<Promise>();
    machine.state<Finished>().entry(&Proposer::finish).ignore<Promise, Refused, TimeOut, Decided>();
  }

  void start() {
    announce(Proposed{value});
    try_ballot(next_ballot(0));
  }

  Ballot next_ballot(Ballot above) const {
    Ballot next = above + 1;
    while (next % proposers != index) ++next;
    return next;
  }

  void try_ballot(Ballot next) {
    if (attempts == 0) return go_to<Finished>();
    --attempts;
    ballot = next;
    if (!bug(5)) promises.clear();
    adopted_ballot = 0;
    if (attempts > 0) start_timer(TimeOut{ballot});  // the last attempt is waited for
    go_to<Preparing>();
    for (std::size_t i = 0; i < asked(); ++i) {
      send_through(network, acceptor(i), Prepare{self(), ballot});
    }
  }

  // How many acceptors are asked for promises. Every proposer begins with another one.
  std::size_t asked() const { return thrifty ? quorum(acceptors.size()) : acceptors.size(); }
  MachineId acceptor(std::size_t i) const {
    return acceptors[(static_cast<std::size_t>(index) + i) % acceptors.size()];
  }

  void promised(const Promise& promise) {
    if (promise.ballot != ballot) return;
    if (promises.contains(promise.acceptor) && !bug(6)) return;
    const bool is_better = promise.accepted_ballot > adopted_ballot;
    if (promise.accepted_ballot != 0 && (is_better || bug(4))) {
      adopted_ballot = promise.accepted_ballot;
      adopted_value = promise.accepted_value;
    }
    promises.insert(promise.acceptor);
    if (promises.size() < quorum(acceptors.size())) return;
    go_to<Accepting>();
    const Value proposal = adopted_ballot == 0 ? value : adopted_value;
    for (std::size_t i = 0; i < acceptors.size(); ++i) {
      // First those that have not been asked: they have most to catch up with.
      send_through(network, acceptor(asked() + i), Accept{self(), ballot, proposal});
    }
  }

  void refused(const Refused& refusal) {
    if (refusal.ballot == ballot) try_ballot(next_ballot(refusal.promised));
  }

  void timed_out(const TimeOut& time_out) {
    if (time_out.ballot == ballot) try_ballot(bug(3) ? ballot + 1 : next_ballot(ballot));
  }

  void finish() { stop_timer<TimeOut>(); }
};

struct Learner : ricercar::Machine {
  MachineId network;
  std::vector<MachineId> proposers;
  std::size_t acceptors = 0;
  std::map<Ballot, std::set<MachineId>> votes;

  struct Learning;
  struct Sure;
  // Closes the circle of acquaintances: proposers are created last.
  struct Introduce {
    std::vector<MachineId> proposers;
  };

  static void define(ricercar::Definition<Learner>& machine) {
    machine.state<Learning>().on(&Learner::introduce).on(&Learner::count);
    machine.state<Sure>().ignore<Accepted>();
  }

  void introduce(const Introduce& introduction) { proposers = introduction.proposers; }

  void count(const Accepted& vote) {
    std::set<MachineId>& voters = votes[vote.ballot];
    voters.insert(vote.acceptor);
    if (voters.size() < quorum(acceptors)) return;
    announce(Learned{vote.value});
    votes.clear();
    go_to<Sure>();
    for (const MachineId proposer : proposers) send(proposer, Decided{vote.value});
  }
};

// --- Properties ---

// Only proposed values are voted for, a ballot has one value, and two values are never chosen: once
// a majority has voted for a value in one ballot, no majority votes for another one.
struct Agreement : ricercar::Monitor {
  std::size_t acceptors = 0;
  std::set<Value> proposed;
  std::map<Ballot, std::set<MachineId>> voters;
  std::map<Ballot, Value> values;
  std::optional<Value> chosen;

  struct Watching;

  static void define(ricercar::Definition<Agreement>& monitor) {
    monitor.state<Watching>().on(&Agreement::propose).on(&Agreement::vote).on(&Agreement::learn);
  }

  void propose(const Proposed& proposal) { proposed.insert(proposal.value); }

  void vote(const Voted& vote) {
    require(proposed.contains(vote.value), "a value was voted for that nobody has proposed");
    const auto [first, is_new] = values.try_emplace(vote.ballot, vote.value);
    require(is_new || first->second == vote.value, "two values in one ballot");
    voters[vote.ballot].insert(vote.acceptor);
    if (voters[vote.ballot].size() > acceptors / 2) choose(vote.value);
  }

  void learn(const Learned& learned) { choose(learned.value); }

  void choose(Value value) {
    require(!chosen || *chosen == value, "two different values were chosen");
    chosen = value;
  }
};

// A proposer that is alone succeeds. For one proposer and faults that leave a majority in touch.
struct Progress : ricercar::Monitor {
  struct Waiting;
  struct Done;

  static void define(ricercar::Definition<Progress>& monitor) {
    monitor.state<Waiting>().hot().go_to<Learned, Done>();
    monitor.state<Done>();
  }
};

}  // namespace paxos
