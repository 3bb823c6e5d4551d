// What a replicated state machine promises, as monitors.
#pragma once

#include <map>
#include <utility>

#include "messages.h"

namespace multi_paxos {

// Every replica executes the same command in the same slot, one slot after the other. Slots that
// all have executed are forgotten, so that long executions stay cheap.
struct Agreement : ricercar::Monitor {
  std::size_t replicas = 0;
  std::map<Slot, std::pair<Command, std::size_t>> executed;  // and by how many
  std::map<MachineId, Slot> next;

  struct Watching;

  static void define(ricercar::Definition<Agreement>& monitor) {
    monitor.state<Watching>().on(&Agreement::execute);
  }

  void execute(const Executed& execution) {
    require(execution.slot == next[execution.replica]++, "a replica left out or repeated a slot");
    auto& [command, count] =
        executed.try_emplace(execution.slot, execution.command, 0).first->second;
    require(command == execution.command, "two replicas executed different commands in one slot");
    if (++count == replicas) executed.erase(execution.slot);
  }
};

// Every command changes the state of every replica once, and none of a client's is left out.
struct ExactlyOnce : ricercar::Monitor {
  std::map<std::pair<MachineId, MachineId>, int> next;  // of a replica and a client

  struct Watching;

  static void define(ricercar::Definition<ExactlyOnce>& monitor) {
    monitor.state<Watching>().on(&ExactlyOnce::change);
  }

  void change(const Changed& change) {
    int& expected = next[{change.replica, change.command.client}];
    require(change.command.number >= expected, "a command was executed twice");
    require(change.command.number <= expected, "a command was lost");
    ++expected;
  }
};

// Where nothing is lost and the leader stays, every client is served.
struct Service : ricercar::Monitor {
  int clients = 0;

  struct Waiting;
  struct Done;

  static void define(ricercar::Definition<Service>& monitor) {
    monitor.state<Waiting>().hot().on<Served>(&Service::served);
    monitor.state<Done>();
  }

  void served() {
    if (--clients == 0) go_to<Done>();
  }
};

}  // namespace multi_paxos
