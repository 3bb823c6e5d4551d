// Two-phase commit; see README.md.
//
//   two_phase_commit [bug=N] [participants=2] [clients=2] [writes=1] [faults=1] [refusals=0]
//                    [polls=1]
#include <vector>

#include "two_phase_commit/client.h"
#include "two_phase_commit/coordinator.h"
#include "two_phase_commit/monitors.h"
#include "two_phase_commit/participant.h"

namespace two_phase_commit {
namespace {

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  std::vector<MachineId> participants;
  for (int i = 0; i < sizes["participants"]; ++i) {
    participants.push_back(system.create(
        Participant{.refusals = sizes["refusals"], .polls = i == 0 ? sizes["polls"] : 0}));
  }
  const MachineId coordinator =
      system.create(Coordinator{.participants = participants, .losses = sizes["losses"]});
  std::vector<MachineId> clients;
  for (int i = 0; i < sizes["clients"]; ++i) {
    clients.push_back(system.create(Client{.coordinator = coordinator,
                                           .participants = participants,
                                           .number = i + 1,
                                           .writes = sizes["writes"]}));
  }
  if (sizes["faults"] > 0) {
    std::vector<MachineId> servers = participants;
    servers.push_back(coordinator);
    system.create(FaultInjector{.servers = servers, .clients = clients, .faults = sizes["faults"]});
  }
  system.monitor(Atomicity{.participants = participants.size()});
  system.monitor<Termination>();
}

}  // namespace
}  // namespace two_phase_commit

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"participants", 2},
                                          {"clients", 2},
                                          {"writes", 1},
                                          {"faults", 1},
                                          {"refusals", 0},
                                          {"polls", 1},
                                          {"losses", 0}});
  return ricercar::run_machines(
      count, arguments, [&](ricercar::System& system) { two_phase_commit::set_up(system, sizes); });
}
