// Single-decree Paxos under the checker: `ricercar run -- paxos bug=1 proposers=2 attempts=2`.
#include "paxos.h"

namespace {

using namespace paxos;

struct Fleet {
  std::vector<MachineId> acceptors;
  std::vector<MachineId> proposers;
};

Fleet create_fleet(ricercar::System& system, const ricercar::suite::Arguments& sizes,
                   MachineId network) {
  Fleet fleet;
  const auto acceptors = static_cast<std::size_t>(sizes["acceptors"]);
  const MachineId learner = system.create(Learner{.network = network, .acceptors = acceptors});
  for (std::size_t i = 0; i < acceptors; ++i) {
    fleet.acceptors.push_back(system.create(Acceptor{.network = network, .learners = {learner}}));
  }
  for (int i = 0; i < sizes["proposers"]; ++i) {
    fleet.proposers.push_back(
        system.create(Proposer{.network = network,
                               .acceptors = fleet.acceptors,
                               .thrifty = sizes["thrifty"] != 0,
                               .index = i,
                               .proposers = sizes["proposers"],
                               .value = 100 + i,
                               .attempts = sizes[i == 0 ? "attempts" : "rival_attempts"]}));
  }
  system.send(learner, Learner::Introduce{fleet.proposers});
  return fleet;
}

void set_up(ricercar::System& system, const ricercar::suite::Arguments& sizes) {
  system.monitor(Agreement{.acceptors = static_cast<std::size_t>(sizes["acceptors"])});
  const int faults = sizes["losses"] + sizes["crashes"];
  if (sizes["proposers"] == 1 && faults <= 1) system.monitor<Progress>();

  MachineId network;
  if (sizes["losses"] + sizes["duplicates"] + sizes["reorderings"] > 0) {
    network = system.create(ricercar::environment::Channel{.losses = sizes["losses"],
                                                           .duplicates = sizes["duplicates"],
                                                           .reorderings = sizes["reorderings"]});
  }
  const Fleet fleet = create_fleet(system, sizes, network);
  for (const MachineId proposer : fleet.proposers) system.send(proposer, Proposer::Start{});
  if (sizes["crashes"] > 0) {
    system.create(ricercar::environment::CrashInjector{.victims = fleet.acceptors,
                                                       .crashes = sizes["crashes"]});
  }
}

}  // namespace

int main(int count, char** arguments) {
  const ricercar::suite::Arguments sizes(count, arguments,
                                         {{"proposers", 2},
                                          {"acceptors", 3},
                                          {"attempts", 1},
                                          {"rival_attempts", 1},
                                          {"thrifty", 0},
                                          {"losses", 0},
                                          {"duplicates", 0},
                                          {"reorderings", 0},
                                          {"crashes", 0}});
  return ricercar::run_machines(1, arguments,
                                [&sizes](ricercar::System& system) { set_up(system, sizes); });
}
