// The transaction manager: takes each transaction through two phases, several at a time.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transactions/messages.h"

namespace transactions {

struct Manager : ricercar::Machine {
  enum class Phase { preparing, committing, aborting };
  struct Running {
    MachineId client;
    int request;
    std::string key;
    std::string value;
    Phase phase;
    std::set<int> answered;  // the shards that have done their part of the phase
    std::vector<Sequence> versions;
  };
  struct Result {
    Transaction transaction;
    MachineId client;
    Ended ended;
  };

  std::vector<MachineId> shards = {};
  int timeouts = 1;  // so many times it loses patience
  Transaction last = 0;
  std::map<Transaction, Running> running = {};
  std::deque<Result> results = {};  // of the last transaction of each client

  struct PrepareTimeout {};

  struct Managing;

  static void define(ricercar::Definition<Manager>& machine) {
    machine.state<Managing>()
        .on(&Manager::begin)
        .on(&Manager::executed)
        .on<PrepareTimeout>(&Manager::lose_patience);
  }

  void begin(const Begin& request) {
    if (is_running(request)) return;
    for (const Result& result : results) {
      if (result.client != request.client || result.ended.request < request.request) continue;
      send(request.client, result.ended);
      return;
    }
    ++last;
    running[last] = {request.client,
                     request.request,
                     request.key,
                     request.value,
                     Phase::preparing,
                     {},
                     std::vector<Sequence>(shards.size())};
    announce(Began{last, request.client, request.request});
    if (timeouts > 0) start_timer(PrepareTimeout{});
    order(last, Command::prepare);
  }

  void executed(const Executed& answer) {
    const auto found = running.find(answer.command.transaction);
    if (found == running.end()) return;
    const Transaction transaction = found->first;
    Running& current = found->second;
    if (answer.command.kind != wanted(current.phase)) return;
    if (!answer.accepted) {
      decide(transaction, Phase::aborting);
      return;
    }
    current.answered.insert(answer.shard);
    current.versions[static_cast<std::size_t>(answer.shard)] = answer.version;
    if (current.answered.size() < shards.size()) return;
    if (current.phase == Phase::preparing) {
      decide(transaction, Phase::committing);
    } else {
      end(transaction);
    }
  }

  void lose_patience() {
    if (timeouts == 0) return;
    --timeouts;
    std::vector<Transaction> late;
    for (const auto& [transaction, current] : running) {
      if (current.phase == Phase::preparing) late.push_back(transaction);
    }
    for (const Transaction transaction : late) decide(transaction, Phase::aborting);
  }

 private:
  static Command::Kind wanted(Phase phase) {
    switch (phase) {
      case Phase::preparing:
        return Command::prepare;
      case Phase::committing:
        return Command::commit;
      case Phase::aborting:
        return Command::abort;
    }
    return Command::abort;
  }

  bool is_running(const Begin& request) const {
    for (const auto& [transaction, current] : running) {
      if (current.client == request.client && current.request == request.request) return true;
    }
    return false;
  }

  void decide(Transaction transaction, Phase phase) {
    Running& current = running[transaction];
    current.phase = phase;
    current.answered.clear();
    announce(Decided{transaction, phase == Phase::committing});
    if (bug(early_reply)) {
      send(current.client, Ended{current.request, phase == Phase::committing, current.versions});
    }
    order(transaction, wanted(phase));
  }

  void order(Transaction transaction, Command::Kind kind) {
    const Running current = running[transaction];
    for (const MachineId shard : shards) {
      send(shard, Execute{self(), {kind, transaction, current.key, current.value}});
    }
  }

  void end(Transaction transaction) {
    const Running current = running[transaction];
    running.erase(transaction);
    const bool committed = current.phase == Phase::committing;
    const Ended ended = {current.request, committed, current.versions};
    remember({transaction, current.client, ended});
    if (!bug(early_reply)) send(current.client, ended);
  }

  // A client has one transaction at a time, so the last result of each is enough.
  void remember(const Result& result) {
    std::erase_if(results, [&](const Result& old) { return old.client == result.client; });
    if (bug(short_memory)) {
      constexpr Transaction kept = 40;
      std::erase_if(
          results, [&](const Result& old) { return old.transaction + kept <= result.transaction; });
    }
    results.push_back(result);
  }
};

}  // namespace transactions
