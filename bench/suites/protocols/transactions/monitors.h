// What the transaction system promises.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "transactions/messages.h"

namespace transactions {

// A transaction is committed in all shards or in none, only if all have accepted it, and each
// request of a client becomes one transaction at most.
struct Atomicity : ricercar::Monitor {
  struct State {
    std::set<int> accepted;  // shards
    std::set<int> done;
    bool is_decided = false;
    bool commits = false;
  };

  int shards = 0;
  std::map<Transaction, State> running = {};
  std::map<MachineId, int> last_requests = {};

  struct Watching;

  static void define(ricercar::Definition<Atomicity>& machine) {
    machine.state<Watching>()
        .on(&Atomicity::began)
        .on(&Atomicity::decided)
        .on(&Atomicity::answered);
  }

  void began(const Began& begin) {
    int& last_request = last_requests[begin.client];
    require(begin.request == last_request + 1, "a request is executed twice");
    last_request = begin.request;
    running[begin.transaction] = {};
  }

  void decided(const Decided& decision) {
    State& state = running[decision.transaction];
    require(!state.is_decided, "decided twice");
    require(!decision.commit || state.accepted.size() == all(),
            "committed though not every shard has accepted");
    state.is_decided = true;
    state.commits = decision.commit;
  }

  void answered(const ShardAnswered& answer) {
    State& state = running[answer.transaction];
    if (answer.kind == Command::prepare) {
      if (answer.accepted) state.accepted.insert(answer.shard);
      return;
    }
    require(state.is_decided && state.commits == (answer.kind == Command::commit),
            "a shard does not follow the decision");
    state.done.insert(answer.shard);
    if (state.done.size() == all()) running.erase(answer.transaction);
  }

 private:
  std::size_t all() const { return static_cast<std::size_t>(shards); }
};

// Every client gets through in the end, and no transaction stays half done.
struct Completion : ricercar::Monitor {
  int owed = 0;  // clients that work
  int shards = 0;
  int undone = 0;  // parts of transactions

  struct Working;
  struct Done;

  static void define(ricercar::Definition<Completion>& machine) {
    machine.state<Working>()
        .hot()
        .on<ClientDone>(&Completion::done)
        .on<Began>(&Completion::began)
        .on(&Completion::answered);
    machine.state<Done>().on<Began>(&Completion::began).on(&Completion::answered);
  }

  void done() {
    --owed;
    move();
  }
  void began() {
    undone += shards;
    move();
  }
  void answered(const ShardAnswered& answer) {
    if (answer.kind == Command::prepare) return;
    --undone;
    move();
  }

 private:
  void move() const {
    if (owed == 0 && undone == 0) {
      go_to<Done>();
    } else {
      go_to<Working>();
    }
  }
};

}  // namespace transactions
