// What two-phase commit promises.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "two_phase_commit/messages.h"

namespace two_phase_commit {

// All decide the same, and commit only if all have voted yes; a request that is sent twice is one
// transaction.
struct Atomicity : ricercar::Monitor {
  std::size_t participants = 0;
  std::map<Transaction, std::set<MachineId>> yes;
  std::map<Transaction, bool> outcomes;
  std::map<MachineId, int> last_requests;

  struct Watching;

  static void define(ricercar::Definition<Atomicity>& machine) {
    machine.state<Watching>()
        .on(&Atomicity::began)
        .on(&Atomicity::voted)
        .on(&Atomicity::decided)
        .on(&Atomicity::applied);
  }

  void began(const Began& begin) {
    int& last_request = last_requests[begin.client];
    require(begin.request > last_request, "a request is executed twice");
    last_request = begin.request;
  }
  void voted(const Voted& vote) {
    if (vote.yes) yes[vote.transaction].insert(vote.participant);
  }
  void decided(const Decided& decision) { settle(decision.transaction, decision.commit); }
  void applied(const Applied& applied) { settle(applied.transaction, applied.commit); }

 private:
  void settle(Transaction transaction, bool commit) {
    require(!commit || yes[transaction].size() == participants,
            "committed without the votes of all");
    const auto [known, is_new] = outcomes.emplace(transaction, commit);
    require(known->second == commit, "one commits and another aborts");
  }
};

// Whatever has begun is decided in the end, and whoever has voted yes learns the decision.
struct Termination : ricercar::Monitor {
  std::set<Transaction> undecided;
  std::set<std::pair<Transaction, MachineId>> in_doubt;

  struct Settled;
  struct Owing;

  static void define(ricercar::Definition<Termination>& machine) {
    machine.state<Settled>()
        .on(&Termination::began)
        .on(&Termination::voted)
        .on(&Termination::decided)
        .on(&Termination::applied);
    machine.state<Owing>()
        .hot()
        .on(&Termination::began)
        .on(&Termination::voted)
        .on(&Termination::decided)
        .on(&Termination::applied);
  }

  void began(const Began& begin) {
    undecided.insert(begin.transaction);
    move();
  }
  void voted(const Voted& vote) {
    if (vote.yes) in_doubt.emplace(vote.transaction, vote.participant);
    move();
  }
  void decided(const Decided& decision) {
    undecided.erase(decision.transaction);
    move();
  }
  void applied(const Applied& applied) {
    in_doubt.erase({applied.transaction, applied.participant});
    move();
  }

 private:
  void move() const {
    if (undecided.empty() && in_doubt.empty()) {
      go_to<Settled>();
    } else {
      go_to<Owing>();
    }
  }
};

}  // namespace two_phase_commit
