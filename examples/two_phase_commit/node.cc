// One node of a two-phase commit in four processes: `node NAME LOG [hasty]`, where NAME is
// coordinator, p1, p2 or p3.
//
// It listens at a port of its own choice and prints it; then it reads the ports of all four nodes,
// in this order, and begins. The coordinator's node goes on with transactions until it reads
// another line, and ends some transactions later; the others end when their input ends.
#include <ricercar/deploy.h>
#include <ricercar/network.h>

#include <iostream>
#include <string>

#include "protocol.h"

using namespace two_phase_commit;

namespace {

const std::vector<std::string> names = {"coordinator", "p1", "p2", "p3"};

int end_coordinator(ricercar::Deployment& deployment, ricercar::Network& network,
                    MachineId client) {
  deployment.send(client, Finish{5});
  if (!deployment.wait_until_quiet(std::chrono::minutes(1))) return 3;
  return network.wait_until_delivered(std::chrono::minutes(1)) ? 0 : 3;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 3) return 2;
  const std::string name = arguments[1];
  const bool hasty = argument_count > 3;

  ricercar::Deployment deployment({.threads = 2, .log_file = arguments[2], .node = name});
  deployment.record<Voted, Decided, Applied>();

  ricercar::NetworkOptions options;
  options.node = name;
  for (const std::string& node : names) options.nodes.push_back({node});
  options.give_up_after = std::chrono::seconds(3);
  ricercar::Network network(deployment, options);
  network.accepts<Prepare, Vote, Decision>();

  // The same on every node.
  std::vector<MachineId> participants;
  for (const std::string& node : {names[1], names[2], names[3]}) {
    participants.push_back(network.create_on(node, Participant{{}, hasty}));
  }
  const MachineId coordinator = network.create_on("coordinator", Coordinator{{}, participants});
  const MachineId client = network.create_on("coordinator", Client{{}, coordinator});

  std::cout << network.port() << std::endl;
  for (const std::string& node : names) {
    std::uint16_t port = 0;
    if (!(std::cin >> port)) return 2;
    network.set_address(node, "127.0.0.1", port);
  }
  network.start();
  deployment.start();

  std::string line;
  std::getline(std::cin, line);  // the rest of the one with the ports
  std::getline(std::cin, line);
  const int status = name == "coordinator" ? end_coordinator(deployment, network, client) : 0;
  for (const ricercar::Failure& failure : deployment.failures()) {
    std::cerr << name << ": " << failure.kind << ": " << failure.message << "\n";
  }
  return deployment.failures().empty() ? status : 1;
}
