// Raft under the checker: `ricercar run -- raft bug=1 servers=3 elections=1 crashes=1`.
#include "client.h"
#include "properties.h"
#include "server.h"

namespace {

using namespace raft;

std::vector<MachineId> create_servers(ricercar::System& system,
                                      const ricercar::suite::Arguments& sizes, MachineId network) {
  std::vector<MachineId> servers;
  servers.reserve(static_cast<std::size_t>(sizes["servers"]));
  for (int i = 0; i < sizes["servers"]; ++i) {
    servers.push_back(system.create(Server{
        .network = network, .elections = sizes["elections"], .heartbeats = sizes["heartbeats"]}));
  }
  for (const MachineId server : servers) {
    std::vector<MachineId> peers = servers;
    std::erase(peers, server);
    system.send(server, Introduce{peers});
  }
  return servers;
}

MachineId create_network(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  if (sizes["losses"] + sizes["duplicates"] + sizes["reorderings"] == 0) return {};
  return system.create(ricercar::environment::Channel{.losses = sizes["losses"],
                                                      .duplicates = sizes["duplicates"],
                                                      .reorderings = sizes["reorderings"]});
}

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  system.monitor<ElectionSafety>();
  system.monitor<StateMachineSafety>();
  system.monitor<AnswersAreCommitted>();
  const MachineId network = create_network(system, sizes);
  const std::vector<MachineId> servers = create_servers(system, sizes, network);
  for (int i = 0; i < sizes["clients"]; ++i) {
    system.create(
        Client{.servers = servers, .commands = sizes["commands"], .attempts = sizes["attempts"]});
  }
  if (sizes["crashes"] > 0) {
    system.create(
        ricercar::environment::CrashInjector{.victims = servers, .crashes = sizes["crashes"]});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"servers", 3},
                                          {"clients", 1},
                                          {"commands", 1},
                                          {"attempts", 2},
                                          {"elections", 1},
                                          {"heartbeats", 0},
                                          {"losses", 0},
                                          {"duplicates", 0},
                                          {"reorderings", 0},
                                          {"crashes", 0}});
  return ricercar::run_machines(1, arguments,
                                [&sizes](ricercar::System& system) { set_up(system, sizes); });
}
