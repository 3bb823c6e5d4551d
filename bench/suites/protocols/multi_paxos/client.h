// A client that has its commands executed one after the other.
#pragma once

#include <ricercar/environment.h>

#include <vector>

#include "messages.h"

namespace multi_paxos {

struct Client : ricercar::Machine {
  MachineId relay;  // repetitions take this way: the direct one may be broken
  std::vector<MachineId> replicas;
  int commands = 1;
  int repetitions = 0;  // that are left for all commands together
  int redirections = 0;
  int number = 0;
  std::size_t target = 0;

  struct Working;
  struct Finished;
  struct Retry {
    int number;
  };

  static void define(ricercar::Definition<Client>& machine) {
    machine.state<Working>()
        .entry(&Client::request)
        .on(&Client::replied)
        .on(&Client::redirected)
        .on(&Client::retry);
    machine.state<Finished>().ignore<Reply, Redirect, Retry>();
  }

  void request() {
    if (repetitions > 0) start_timer(Retry{number});
    send(replicas[target], Request{{self(), number}});
  }

  void replied(const Reply& reply) {
    if (reply.number != number) return;
    stop_timer<Retry>();
    if (++number < commands) return request();
    announce(Served{});
    go_to<Finished>();
  }

  void redirected(const Redirect& redirect) {
    if (redirect.number != number || redirections == 0) return;
    --redirections;
    target = (target + 1) % replicas.size();
    for (std::size_t i = 0; i < replicas.size(); ++i) {
      if (replicas[i] == redirect.leader) target = i;
    }
    request();
  }

  void retry(const Retry& retry) {
    if (retry.number != number) return;
    if (--repetitions > 0) start_timer(Retry{number});
    ricercar::environment::send_through(relay, replicas[target], Request{{self(), number}});
  }
};

}  // namespace multi_paxos
