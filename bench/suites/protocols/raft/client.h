// A client that has commands replicated one after the other, and looks for the leader.
#pragma once

#include "messages.h"

namespace raft {

struct Client : ricercar::Machine {
  std::vector<MachineId> servers;
  int commands = 1;
  int attempts = 1;  // that are left for all commands together
  int number = 0;
  std::size_t target = 0;

  struct Working;
  struct Finished;
  struct Retry {
    int number;
  };

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Working>()
        .entry(&Client::begin)
        .on(&Client::replied)
        .on(&Client::redirected)
        .on(&Client::retry);
    machine.state<Finished>().ignore<Reply, Redirect, Retry>();
  }

  void begin() { attempt(); }

  void attempt() {
    if (attempts == 0 || number == commands) return go_to<Finished>();
    --attempts;
    if (attempts > 0) start_timer(Retry{number});
    send(servers[target], Request{{self(), number}});
  }

  void replied(const Reply& reply) {
    if (reply.number != number) return;
    ++number;
    attempt();
  }

  void redirected(const Redirect& redirect) {
    if (redirect.number != number) return;
    try_another();
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (servers[i] == redirect.leader) target = i;
    }
    attempt();
  }

  void retry(const Retry& retry) {
    if (retry.number != number) return;
    try_another();
    attempt();
  }

  void try_another() { target = (target + 1) % servers.size(); }
};

}  // namespace raft
