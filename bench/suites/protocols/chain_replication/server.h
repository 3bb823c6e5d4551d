// A server of the chain.
//
// Updates enter at the head, go down the chain, and are answered by the tail; then word goes up
// the chain that they are stable. Each server keeps what it has forwarded until it is stable: if
// its successor fails, the next one may not have it. Queries are answered by the tail, which knows
// nothing but stable updates.
#pragma once

#include <deque>
#include <map>

#include "chain_replication/messages.h"

namespace chain_replication {

struct Server : ricercar::Machine {
  struct Pending {
    Update update;
    bool accepted;
  };
  struct Session {  // the last update of a client
    int request = 0;
    Sequence sequence = 0;
    bool accepted = false;
  };

  int failures = 0;  // it may fail so many times of itself: once is the last time

  MachineId master = {};
  MachineId predecessor = {};
  MachineId successor = {};
  Store store = {};
  Sequence applied = 0;
  Sequence stable = 0;
  std::deque<Pending> in_flight = {};  // the updates stable + 1 .. applied
  std::map<MachineId, Session> sessions = {};

  struct Unconfigured;
  struct Head;
  struct Inner;
  struct Tail;
  struct Alone;

  static void define(ricercar::Definition<Server>& machine) {
    machine.state<Unconfigured>().on(&Server::configure);
    machine.state<Head>()
        .on(&Server::configure)
        .on(&Server::update)
        .on(&Server::became_stable)
        .on(&Server::new_successor)
        .on<BecomeTail>(&Server::become_tail);
    machine.state<Inner>()
        .on(&Server::configure)
        .on(&Server::forwarded)
        .on(&Server::became_stable)
        .on(&Server::new_predecessor)
        .on(&Server::new_successor)
        .on<BecomeHead>(&Server::become_head)
        .on<BecomeTail>(&Server::become_tail);
    machine.state<Tail>()
        .on(&Server::configure)
        .on(&Server::forwarded)
        .on(&Server::query)
        .on(&Server::new_predecessor)
        .on<BecomeHead>(&Server::become_head);
    machine.state<Alone>().on(&Server::configure).on(&Server::update).on(&Server::query);
  }

  // --- The place in the chain ---

  void configure(const Configure& place) {
    master = place.master;
    predecessor = place.predecessor;
    successor = place.successor;
    send(master, Configured{self(), place.round});
    take_role();
  }

  void become_head() {
    predecessor = {};
    announce(TookOver{self(), applied});
    take_role();
  }

  // Whatever is in flight has reached the tail now: this server.
  void become_tail() {
    successor = {};
    announce(TookOver{self(), applied});
    while (!in_flight.empty()) {
      const Pending pending = take_stable();
      constexpr Sequence ring = 48;  // so many updates can be in flight
      if (!bug(9) && !(bug(16) && stable > ring))
        answer(pending.update, {pending.update.request, stable, pending.accepted});
    }
    tell_stable();
    take_role();
  }

  // The one in between has failed, perhaps with word on its way that updates are stable.
  void new_predecessor(const NewPredecessor& change) {
    predecessor = change.predecessor;
    tell_stable();
    send(master, Received{self(), applied});
  }

  void new_successor(const NewSuccessor& change) {
    successor = change.successor;
    if (bug(1)) return;
    const std::deque<Pending> again = in_flight;
    Sequence sequence = stable;
    for (const Pending& pending : again) {
      if (++sequence > change.received) send(successor, Forward{self(), sequence, pending.update});
    }
  }

  // --- Updates and queries ---

  void update(const Update& update) {
    const Session known = sessions[update.client];
    if (update.request > known.request) {
      apply(update);
    } else if (known.sequence <= stable || bug(4)) {
      answer(update, known);  // the answer of the tail may be lost
    }
  }

  void forwarded(const Forward& forward) {
    if (forward.predecessor != predecessor || forward.sequence <= applied) return;
    require(forward.sequence == applied + 1, "an update is missing");
    apply(forward.update);
  }

  void became_stable(const Stable& news) {
    if (bug(3) ? news.sequence == 0 || in_flight.empty() : news.sequence <= stable) return;
    const Sequence target = bug(3) ? stable + 1 : news.sequence;
    while (stable < target) take_stable();
    tell_stable();
  }

  void query(const Query& query) {
    const Store::Versioned found = store.data[query.key];
    send(query.client, QueryReply{query.request, found.version, found.value});
  }

 private:
  bool is_tail() const { return !successor; }

  void take_role() const {
    if (predecessor && successor) {
      go_to<Inner>();
    } else if (predecessor) {
      go_to<Tail>();
    } else if (successor) {
      go_to<Head>();
    } else {
      go_to<Alone>();
    }
  }

  void apply(const Update& update) {
    ++applied;
    const bool accepted = store.apply(update.command, applied);
    const Session session = {update.request, applied, accepted};
    const bool remembers_later = (bug(5) && predecessor && successor) || (bug(14) && successor);
    if (!remembers_later) sessions[update.client] = session;
    if (bug(7)) forget_old_sessions();
    announce(Applied{self(), applied, update.client, update.request});
    if (is_tail()) {
      settle(update, session);
    } else {
      in_flight.push_back({update, accepted});
      send(successor, Forward{self(), applied, update});
    }
  }

  // The client is told before the chain: what the predecessor takes for stable has been answered.
  void settle(const Update& update, const Session& session) {
    if (failures > 0 && choose()) return fail();
    ++stable;
    if (bug(6)) {
      tell_stable();
      answer(update, session);
    } else {
      answer(update, session);
      tell_stable();
    }
  }

  // With an update that nobody has been told of.
  void fail() {
    --failures;
    announce(Crashed{self()});
    send(master, ServerFailed{self()});
    halt();
  }

  Pending take_stable() {
    Pending pending = in_flight.front();
    in_flight.pop_front();
    ++stable;
    if (bug(14)) {
      sessions[pending.update.client] = {pending.update.request, stable, pending.accepted};
    }
    return pending;
  }

  static void answer(const Update& update, const Session& session) {
    send(update.client, UpdateReply{session.request, session.sequence, session.accepted});
  }

  void tell_stable() const {
    if (predecessor) send(predecessor, Stable{stable});
  }

  void forget_old_sessions() {
    constexpr Sequence kept = 200;
    std::erase_if(sessions,
                  [&](const auto& entry) { return entry.second.sequence + kept <= applied; });
  }
};

}  // namespace chain_replication
