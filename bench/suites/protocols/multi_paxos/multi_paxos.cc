// Multi-Paxos under the checker: `ricercar run -- multi_paxos bug=1 clients=2 elections=1`.
#include "client.h"
#include "properties.h"
#include "replica.h"

namespace {

using namespace multi_paxos;

std::vector<MachineId> create_replicas(ricercar::System& system,
                                       const ricercar::suite::Arguments& sizes, MachineId network) {
  std::vector<MachineId> replicas;
  replicas.reserve(static_cast<std::size_t>(sizes["replicas"]));
  for (int i = 0; i < sizes["replicas"]; ++i) {
    replicas.push_back(
        system.create(Replica{.network = network, .index = i, .elections = sizes["elections"]}));
  }
  for (const MachineId replica : replicas) system.send(replica, Introduce{replicas});
  return replicas;
}

MachineId create_network(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  if (sizes["losses"] + sizes["duplicates"] + sizes["reorderings"] == 0) return {};
  return system.create(ricercar::environment::Channel{.losses = sizes["losses"],
                                                      .duplicates = sizes["duplicates"],
                                                      .reorderings = sizes["reorderings"]});
}

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  system.monitor(Agreement{.replicas = static_cast<std::size_t>(sizes["replicas"])});
  system.monitor<ExactlyOnce>();
  if (sizes["elections"] + sizes["losses"] == 0) {
    system.monitor(Service{.clients = sizes["clients"]});
  }
  const MachineId network = create_network(system, sizes);
  const std::vector<MachineId> replicas = create_replicas(system, sizes, network);
  const MachineId relay = system.create(ricercar::environment::Channel{});
  for (int i = 0; i < sizes["clients"]; ++i) {
    system.create(Client{.relay = relay,
                         .replicas = replicas,
                         .commands = sizes["commands"],
                         .repetitions = sizes["repetitions"],
                         .redirections = sizes["redirections"]});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"replicas", 3},
                                          {"clients", 1},
                                          {"commands", 1},
                                          {"repetitions", 0},
                                          {"redirections", 1},
                                          {"elections", 0},
                                          {"losses", 0},
                                          {"duplicates", 0},
                                          {"reorderings", 0}});
  return ricercar::run_machines(1, arguments,
                                [&sizes](ricercar::System& system) { set_up(system, sizes); });
}
