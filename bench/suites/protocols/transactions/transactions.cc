// Transactions over replicated shards; see README.md.
//
//   transactions [bug=N] [shards=2] [replicas=2] [clients=1] [transactions=1] [faults=1]
//                [timeouts=1] [retries=0] [bulk=0] [failures=0]
#include <array>
#include <string>
#include <vector>

#include "chain_replication/client.h"
#include "chain_replication/master.h"
#include "chain_replication/monitors.h"
#include "chain_replication/server.h"
#include "transactions/client.h"
#include "transactions/manager.h"
#include "transactions/monitors.h"
#include "transactions/shard.h"

namespace transactions {
namespace {

using chain_replication::FaultInjector;
using chain_replication::Master;
using chain_replication::Server;
using chain_replication::UpdateOrder;

// A chain of servers with its master; only the first shard loses servers.
void create_chain(ricercar::System& system, const ricercar::suite::Arguments& sizes, int number,
                  MachineId shard) {
  std::vector<MachineId> servers;
  UpdateOrder update_order;
  for (int i = 0; i < sizes["replicas"]; ++i) {
    const bool may_fail = number == 0 && i + 1 == sizes["replicas"];
    servers.push_back(system.create(Server{.failures = may_fail ? sizes["failures"] : 0}));
    update_order.servers[servers.back()] = 0;
  }
  system.monitor(std::move(update_order));
  MachineId injector;
  if (number == 0 && sizes["faults"] > 0) {
    injector = system.create(FaultInjector{.servers = servers, .faults = sizes["faults"]});
  }
  system.create(Master{.chain = servers, .clients = {shard}, .failure_detector = injector});
}

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  std::vector<MachineId> shards;
  for (int i = 0; i < sizes["shards"]; ++i) {
    shards.push_back(system.create(Shard{.number = i}));
    create_chain(system, sizes, i, shards.back());
  }
  const MachineId manager = system.create(Manager{.shards = shards, .timeouts = sizes["timeouts"]});
  for (int i = 0; i < sizes["clients"]; ++i) {
    system.create(Client{.manager = manager,
                         .shards = shards,
                         .key = "account",
                         .transactions = sizes["transactions"],
                         .retries = sizes["retries"]});
  }
  const bool has_bulk = sizes["bulk"] > 0;
  if (has_bulk) {
    system.create(Client{.manager = manager,
                         .shards = shards,
                         .key = "bulk",
                         .transactions = sizes["bulk"],
                         .reads = false});
  }
  system.monitor(Atomicity{.shards = sizes["shards"]});
  system.monitor(
      Completion{.owed = sizes["clients"] + (has_bulk ? 1 : 0), .shards = sizes["shards"]});
}

// The bugs 3 to 5 are some of the chains beneath.
int planted(int number) {
  constexpr std::array<int, 6> bugs = {0, early_reply, short_memory, 3, 6, 16};
  return number >= 0 && number < static_cast<int>(bugs.size())
             ? bugs[static_cast<std::size_t>(number)]
             : number;
}

}  // namespace
}  // namespace transactions

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"shards", 2},
                                          {"replicas", 2},
                                          {"clients", 1},
                                          {"transactions", 1},
                                          {"faults", 1},
                                          {"timeouts", 1},
                                          {"retries", 0},
                                          {"bulk", 0},
                                          {"failures", 0}});
  ricercar::suite::planted_bug = transactions::planted(sizes["bug"]);
  return ricercar::run_machines(
      count, arguments, [&](ricercar::System& system) { transactions::set_up(system, sizes); });
}
