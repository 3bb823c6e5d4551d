// The coordinator: takes one write after the other through the two phases.
//
// The log survives a crash; votes do not. A transaction that the log shows as undecided after a
// restart is aborted, and every outcome that is not acknowledged by all is sent again.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "two_phase_commit/messages.h"

namespace two_phase_commit {

struct Coordinator : ricercar::Machine {
  struct Record {
    MachineId client;
    int request;
    std::string key;
    std::string value;
    Progress progress;
  };

  std::vector<MachineId> participants;
  std::vector<Record> log;  // transaction n is at index n - 1
  int losses = 0;           // outcomes that the network may still lose; not its own knowledge

  // Lost in a crash.
  std::multiset<MachineId> votes;                   // for the last transaction in the log
  std::vector<std::set<MachineId>> unacknowledged;  // for each transaction
  bool has_asked_again = false;

  struct Retransmit {};  // an outcome was not acknowledged in time

  struct Recovering;
  struct Idle;
  struct CollectingVotes;

  static void define(ricercar::Definition<Coordinator>& machine) {
    machine.state<Recovering>().entry(&Coordinator::recover);
    auto idle = machine.state<Idle>();
    idle.on(&Coordinator::begin)
        .on(&Coordinator::acknowledged)
        .on(&Coordinator::tell_outcome)
        .on(&Coordinator::written)
        .on<Retransmit>(&Coordinator::retransmit)
        .ignore<Vote>();
    if (!bug(10)) idle.ignore<VoteTimeout>();
    machine.state<CollectingVotes>()
        .on(&Coordinator::count)
        .on(&Coordinator::timed_out)
        .on(&Coordinator::acknowledged)
        .on(&Coordinator::tell_outcome)
        .on(&Coordinator::written)
        .on<Retransmit>(&Coordinator::retransmit)
        .defer<WriteRequest>();
  }

  void crash() {
    votes.clear();
    unacknowledged.clear();
    has_asked_again = false;
  }

  void recover() {
    for (std::size_t i = 0; i < log.size(); ++i) {
      unacknowledged.emplace_back(participants.begin(), participants.end());
    }
    for (std::size_t i = 0; i < log.size(); ++i) {
      const auto transaction = static_cast<Transaction>(i + 1);
      if (log[i].progress == Progress::undecided) record(transaction, false);
      tell_everybody(transaction, log[i].progress == Progress::committed);
    }
    go_to<Idle>();
  }

  void begin(const WriteRequest& request) {
    if (const Transaction known = find(request.client, request.request); known != 0) {
      answer_client(known);
      return;
    }
    log.push_back(
        {request.client, request.request, request.key, request.value, Progress::undecided});
    unacknowledged.emplace_back(participants.begin(), participants.end());
    votes.clear();
    has_asked_again = false;
    announce(Began{current(), request.client, request.request});
    ask_missing();
    start_timer(VoteTimeout{current()});
    go_to<CollectingVotes>();
  }

  void count(const Vote& vote) {
    if (vote.transaction != current() && !bug(1)) return;
    if (!vote.yes) {
      decide(false);
      return;
    }
    if (bug(7) || !votes.contains(vote.participant)) votes.insert(vote.participant);
    if (votes.size() == participants.size()) decide(true);
  }

  void timed_out(const VoteTimeout& timeout) {
    if (timeout.transaction != current()) return;  // it was in the queue when it was stopped
    if (has_asked_again) {
      decide(false);
      return;
    }
    has_asked_again = true;
    ask_missing();
    start_timer(VoteTimeout{current()});
  }

  void acknowledged(const Acknowledgement& acknowledgement) {
    unacknowledged[index(acknowledgement.transaction)].erase(acknowledgement.participant);
  }

  void written(const OutcomeWritten& outcome) {
    record(outcome.transaction, outcome.commit);
    answer_client(outcome.transaction);
  }

  // The log is written in segments.
  void retransmit() {
    const std::size_t end = bug(11) ? std::min(segment, log.size()) : log.size();
    for (std::size_t i = 0; i < end; ++i) {
      if (log[i].progress == Progress::undecided) continue;
      tell_everybody(static_cast<Transaction>(i + 1), log[i].progress == Progress::committed);
    }
  }

  // A participant that is in doubt asks. While nothing is decided there is nothing to say: the
  // outcome will be sent to everybody.
  void tell_outcome(const OutcomeRequest& request) {
    constexpr Transaction kept = 3;
    const bool is_trimmed = bug(2) && request.transaction + kept <= current();
    const Progress progress =
        is_trimmed ? Progress::aborted : log[index(request.transaction)].progress;
    if (progress == Progress::undecided && !bug(9)) return;
    send(request.participant,
         Outcome{self(), request.transaction, progress == Progress::committed});
  }

 private:
  static constexpr std::size_t segment = 32;  // transactions in one segment of the log

  static std::size_t index(Transaction transaction) {
    return static_cast<std::size_t>(transaction - 1);
  }
  Transaction current() const { return static_cast<Transaction>(log.size()); }

  Transaction find(MachineId client, int request) const {
    constexpr std::size_t kept = 3;
    const std::size_t first = bug(4) && log.size() > kept ? log.size() - kept : 0;
    for (std::size_t i = first; i < log.size(); ++i) {
      if (log[i].client == client && log[i].request == request) {
        return static_cast<Transaction>(i + 1);
      }
    }
    return 0;
  }

  void ask_missing() {
    const Record& record = log.back();
    for (const MachineId participant : participants) {
      if (votes.contains(participant) && !bug(7)) continue;
      send(participant, Prepare{self(), current(), record.key, record.value});
    }
  }

  void decide(bool commit) {
    stop_timer<VoteTimeout>();
    if (bug(3)) {
      tell_everybody(current(), commit);
      send(self(), OutcomeWritten{current(), commit});
    } else {
      record(current(), commit);
      tell_everybody(current(), commit);
      answer_client(current());
    }
    go_to<Idle>();
  }

  void record(Transaction transaction, bool commit) {
    log[index(transaction)].progress = commit ? Progress::committed : Progress::aborted;
    announce(Decided{transaction, commit});
  }

  void tell_everybody(Transaction transaction, bool commit) {
    for (const MachineId participant : participants) {
      if (!unacknowledged[index(transaction)].contains(participant)) continue;
      if (bug(12) && !commit && log.size() > segment && !votes.contains(participant)) continue;
      if (is_lost()) continue;
      send(participant, Outcome{self(), transaction, commit});
    }
  }

  bool is_lost() {
    if (losses == 0 || !choose()) return false;
    --losses;
    start_timer(Retransmit{});
    return true;
  }

  void answer_client(Transaction transaction) {
    const Record& record = log[index(transaction)];
    send(record.client,
         WriteReply{record.request, record.progress == Progress::committed, transaction});
  }
};

}  // namespace two_phase_commit
