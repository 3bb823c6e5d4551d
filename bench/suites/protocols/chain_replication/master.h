// The master: puts the chain together, and repairs it when a server has failed.
#pragma once

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include "chain_replication/messages.h"

namespace chain_replication {

struct Master : ricercar::Machine {
  std::vector<MachineId> chain = {};
  std::vector<MachineId> clients = {};
  MachineId failure_detector = {};

  int round = 0;  // of the initialisation: a failure makes it start again
  std::set<MachineId> configured = {};
  std::vector<MachineId> failed = {};  // still in the chain; in the order of the notices
  MachineId awaited = {};              // its predecessor has failed, it has been told so

  struct Initialising;
  struct Monitoring;
  struct Repairing;

  static void define(ricercar::Definition<Master>& machine) {
    auto initialising = machine.state<Initialising>();
    initialising.entry(&Master::initialise).on(&Master::is_configured);
    if (!bug(12)) initialising.on(&Master::start_again);
    auto monitoring = machine.state<Monitoring>();
    monitoring.on(&Master::repair).ignore<Configured>();
    if (bug(11)) monitoring.ignore<Received>();
    machine.state<Repairing>()
        .on(&Master::reconnect)
        .on(&Master::fails_while_repairing)
        .ignore<Configured>();
  }

  // --- Initialisation ---

  void initialise() {
    if (failure_detector) send(failure_detector, Watch{self()});
    configure();
  }

  void start_again(const ServerFailed& notice) {
    std::erase(chain, notice.server);
    configure();
  }

  void configure() {
    ++round;
    configured.clear();
    for (std::size_t i = 0; i < chain.size(); ++i) {
      const MachineId before = i == 0 ? MachineId{} : chain[i - 1];
      const MachineId after = i + 1 == chain.size() ? MachineId{} : chain[i + 1];
      send(chain[i], Configure{self(), round, before, after});
    }
  }

  void is_configured(const Configured& answer) {
    if (answer.round != round) return;
    configured.insert(answer.server);
    if (configured.size() < chain.size()) return;
    explorer_hint(move_to_front, self().number());
    if (failure_detector) explorer_hint(move_to_front, failure_detector.number());
    tell_clients();
    go_to<Monitoring>();
  }

  // --- Repair ---

  void repair(const ServerFailed& notice) {
    failed.push_back(notice.server);
    repair_all();
  }

  // One failure is repaired after the other, but nothing may wait for the one that failed.
  void fails_while_repairing(const ServerFailed& notice) {
    failed.push_back(notice.server);
    const bool must_wait = bug(15) || (notice.server != awaited && !bug(10));
    if (must_wait) return;
    failed.pop_back();
    failed.insert(failed.begin(), notice.server);
    if (bug(11)) {
      reconnect_hastily();
    } else {
      repair_all();
    }
  }

  void reconnect(const Received& answer) {
    if (answer.server != awaited) return;
    send(*(position(awaited) - 1), NewSuccessor{awaited, answer.sequence});
    awaited = {};
    repair_all();
  }

 private:
  std::vector<MachineId>::iterator position(MachineId server) {
    return std::find(chain.begin(), chain.end(), server);
  }

  void repair_all() {
    while (!failed.empty()) {
      const MachineId server = failed.front();
      failed.erase(failed.begin());
      if (remove(server)) continue;
      const auto awaited_too = std::find(failed.begin(), failed.end(), awaited);
      if (awaited_too != failed.end() && !bug(8)) {
        std::rotate(failed.begin(), awaited_too, awaited_too + 1);
        continue;
      }
      go_to<Repairing>();
      return;
    }
    tell_clients();
    go_to<Monitoring>();
  }

  // Two neighbours have failed. The chain was complete a moment ago, so the next one is taken to
  // have everything.
  void reconnect_hastily() {
    const MachineId server = failed.front();
    failed.erase(failed.begin());
    if (!remove(server)) {
      send(*(position(awaited) - 1), NewSuccessor{awaited, std::numeric_limits<Sequence>::max()});
    }
    repair_all();
  }

  // False if there is an answer to wait for.
  bool remove(MachineId server) {
    const auto place = chain.erase(position(server));
    awaited = {};
    if (bug(13)) tell_clients();
    if (place == chain.begin()) {
      send(chain.front(), BecomeHead{});
    } else if (place == chain.end()) {
      send(chain.back(), BecomeTail{});
    } else {
      awaited = *place;
      send(awaited, NewPredecessor{*(place - 1)});
    }
    return !awaited;
  }

  void tell_clients() const {
    for (const MachineId client : clients) send(client, ChainChanged{chain.front(), chain.back()});
  }
};

}  // namespace chain_replication
