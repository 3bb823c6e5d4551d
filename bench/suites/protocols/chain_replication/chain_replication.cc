// Chain replication; see README.md.
//
//   chain_replication [bug=N] [servers=3] [clients=2] [updates=2] [faults=2] [retries=0] [bulk=0]
//                     [failures=0]
#include <vector>

#include "chain_replication/client.h"
#include "chain_replication/cust_explorer.h"
#include "chain_replication/master.h"
#include "chain_replication/monitors.h"
#include "chain_replication/server.h"

namespace chain_replication {
namespace {

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  std::vector<MachineId> servers;
  UpdateOrder update_order;
  for (int i = 0; i < sizes["servers"]; ++i) {
    const bool is_last = i + 1 == sizes["servers"];
    servers.push_back(system.create(Server{.failures = is_last ? sizes["failures"] : 0}));
    update_order.servers[servers.back()] = 0;
  }
  std::vector<MachineId> clients;
  for (int i = 0; i < sizes["clients"]; ++i) {
    clients.push_back(
        system.create(Client{.updates = sizes["updates"], .retries = sizes["retries"]}));
  }
  if (sizes["bulk"] > 0) {
    clients.push_back(system.create(Client{.updates = sizes["bulk"], .queries = false}));
  }
  const MachineId injector =
      system.create(FaultInjector{.servers = servers, .faults = sizes["faults"]});
  system.create(Master{.chain = servers, .clients = clients, .failure_detector = injector});
  system.monitor(std::move(update_order));
  system.monitor(Durability{});
  system.monitor(Completion{.clients = static_cast<int>(clients.size())});
}

}  // namespace
}  // namespace chain_replication

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"servers", 3},
                                          {"clients", 2},
                                          {"updates", 2},
                                          {"faults", 2},
                                          {"retries", 0},
                                          {"bulk", 0},
                                          {"failures", 0}});
  return ricercar::run_machines(count, arguments, [&](ricercar::System& system) {
    chain_replication::set_up(system, sizes);
  });
}
