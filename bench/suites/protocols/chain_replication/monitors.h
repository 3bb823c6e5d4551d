// What chain replication promises.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "chain_replication/messages.h"

namespace chain_replication {

// All servers apply the same updates in the same order, and each update once. What only servers
// that have failed had applied has never happened.
struct UpdateOrder : ricercar::Monitor {
  using Name = std::pair<MachineId, int>;  // client and request

  std::map<MachineId, Sequence> servers = {};  // the last update that each has applied
  std::map<Sequence, Name> order = {};         // without what every server has applied
  std::map<MachineId, int> last_requests = {};
  Sequence longest = 0;

  struct Watching;

  static void define(ricercar::Definition<UpdateOrder>& machine) {
    machine.state<Watching>().on(&UpdateOrder::applied).on(&UpdateOrder::crashed);
  }

  void applied(const Applied& update) {
    if (!servers.contains(update.server)) return;  // one of another chain
    Sequence& last = servers[update.server];
    require(update.sequence == last + 1, "a server leaves an update out or takes one twice");
    last = update.sequence;
    const Name name = {update.client, update.request};
    if (update.sequence > longest) {
      require(update.request == last_requests[update.client] + 1,
              "an update is applied twice or out of order");
      longest = update.sequence;
      last_requests[update.client] = update.request;
      order[update.sequence] = name;
    }
    require(order[update.sequence] == name, "servers apply different updates");
    forget();
  }

  void crashed(const Crashed& crash) {
    if (servers.erase(crash.server) == 0) return;
    forget();
    Sequence somewhere = 0;
    for (const auto& [server, sequence] : servers) somewhere = std::max(somewhere, sequence);
    for (; longest > somewhere; --longest) {
      const auto [client, request] = order[longest];
      last_requests[client] = request - 1;
      order.erase(longest);
    }
  }

 private:
  void forget() {
    Sequence everywhere = longest;
    for (const auto& [server, sequence] : servers) everywhere = std::min(everywhere, sequence);
    order.erase(order.begin(), order.upper_bound(everywhere));
  }
};

// What a client knows to be done is never lost, and is seen by every query that begins later.
struct Durability : ricercar::Monitor {
  Sequence acknowledged = 0;
  std::map<MachineId, Sequence> queries = {};  // what was acknowledged when each began

  struct Watching;

  static void define(ricercar::Definition<Durability>& machine) {
    machine.state<Watching>()
        .on(&Durability::acknowledge)
        .on(&Durability::took_over)
        .on(&Durability::query_began)
        .on(&Durability::query_ended);
  }

  void acknowledge(const Acknowledged& update) {
    acknowledged = std::max(acknowledged, update.sequence);
  }
  void took_over(const TookOver& change) {
    require(change.sequence >= acknowledged, "an acknowledged update is lost");
  }
  void query_began(const QueryBegan& query) { queries[query.client] = acknowledged; }
  void query_ended(const QueryEnded& query) {
    require(query.version >= queries[query.client],
            "a query does not see an update that was acknowledged before");
    queries.erase(query.client);
  }
};

// Every client gets through in the end.
struct Completion : ricercar::Monitor {
  int clients = 0;

  struct Working;
  struct Done;

  static void define(ricercar::Definition<Completion>& machine) {
    machine.state<Working>().hot().on<ClientDone>(&Completion::done);
    machine.state<Done>();
  }

  void done() {
    if (--clients == 0) go_to<Done>();
  }
};

}  // namespace chain_replication
