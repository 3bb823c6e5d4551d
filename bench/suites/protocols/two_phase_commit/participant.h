// A participant: holds a copy of the data, votes on writes, and serves reads.
//
// The log and the data survive a crash. A participant that has voted yes is in doubt until it
// knows the outcome; the key stays locked so long, and reads of it wait.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "two_phase_commit/messages.h"

namespace two_phase_commit {

struct Participant : ricercar::Machine {
  struct Record {
    MachineId coordinator;
    std::string key;
    std::string value;
    Progress progress;
  };
  struct Versioned {
    Transaction version = 0;
    std::string value;
  };

  int refusals = 0;  // so many times it may vote no for reasons of its own
  int polls = 0;     // so many times it loses patience and asks for an outcome
  std::map<Transaction, Record> log;
  std::map<std::string, Versioned> data;
  std::vector<ReadRequest> waiting;  // for a lock; lost in a crash

  struct Recovering;
  struct Serving;

  static void define(ricercar::Definition<Participant>& machine) {
    machine.state<Recovering>().entry(&Participant::recover);
    machine.state<Serving>()
        .on(&Participant::prepare)
        .on(&Participant::written)
        .on(&Participant::learn)
        .on(&Participant::ask)
        .on(&Participant::read);
  }

  void crash() { waiting.clear(); }

  void recover() {
    for (const auto& [transaction, record] : log) {
      if (record.progress != Progress::undecided || bug(6)) continue;
      send(record.coordinator, OutcomeRequest{self(), transaction});
    }
    go_to<Serving>();
  }

  void prepare(const Prepare& request) {
    const auto known = log.find(request.transaction);
    if (known != log.end()) {
      vote(request, known->second.progress != Progress::aborted);
      return;
    }
    if (is_locked(request.key) || refuses()) {
      conclude(request.transaction,
               {request.coordinator, request.key, request.value, Progress::aborted});
      vote(request, false);
      return;
    }
    if (bug(8)) {
      vote(request, true);
      send(self(), VoteWritten{request});
    } else {
      promise(request);
      vote(request, true);
    }
  }

  void written(const VoteWritten& vote) { promise(vote.request); }

  void learn(const Outcome& outcome) {
    const auto known = log.find(outcome.transaction);
    require(known != log.end() || !outcome.commit, "told to commit what it never voted for");
    if (known == log.end()) {
      conclude(outcome.transaction, {outcome.coordinator, "", "", Progress::aborted});
    } else if (known->second.progress == Progress::undecided) {
      Record record = known->second;
      record.progress = outcome.commit ? Progress::committed : Progress::aborted;
      if (outcome.commit) data[record.key] = {outcome.transaction, record.value};
      conclude(outcome.transaction, record);
      stop_timer<OutcomeTimeout>();
    }
    send(outcome.coordinator, Acknowledgement{self(), outcome.transaction});
    serve_waiting();
  }

  // No news for a long time. Only the coordinator knows whether everybody has voted yes.
  void ask(const OutcomeTimeout& timeout) {
    const Record& record = log.at(timeout.transaction);
    if (record.progress != Progress::undecided || polls == 0) return;
    --polls;
    send(record.coordinator, OutcomeRequest{self(), timeout.transaction});
  }

  void read(const ReadRequest& request) {
    if (is_locked(request.key) && !bug(5)) {
      waiting.push_back(request);
      return;
    }
    const Versioned& found = data[request.key];
    send(request.client, ReadReply{request.request, found.version, found.value});
  }

 private:
  bool is_locked(const std::string& key) const {
    for (const auto& [transaction, record] : log) {
      if (record.progress == Progress::undecided && record.key == key) return true;
    }
    return false;
  }

  bool refuses() {
    if (refusals == 0 || !choose()) return false;
    --refusals;
    return true;
  }

  void promise(const Prepare& request) {
    log[request.transaction] = {request.coordinator, request.key, request.value,
                                Progress::undecided};
    if (polls > 0) start_timer(OutcomeTimeout{request.transaction});
  }

  void vote(const Prepare& request, bool yes) {
    announce(Voted{self(), request.transaction, yes});
    send(request.coordinator, Vote{self(), request.transaction, yes});
  }

  void conclude(Transaction transaction, const Record& record) {
    log[transaction] = record;
    announce(Applied{self(), transaction, record.progress == Progress::committed});
  }

  void serve_waiting() {
    std::vector<ReadRequest> requests;
    requests.swap(waiting);
    for (const ReadRequest& request : requests) read(request);
  }
};

}  // namespace two_phase_commit
