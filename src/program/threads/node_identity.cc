// Which node of a cluster this process is, and what it shares with the others.
#include <cstring>

#include "threads/execution.h"
#include "threads/node_sockets.h"

namespace ricercar::inline threads {
namespace {

constinit ClusterMemory* cluster_of_node = nullptr;
constinit std::uint32_t own_number = 0;
constinit bool is_in_cluster = false;

}  // namespace

bool is_node() { return is_in_cluster; }
const char* name_of_node() { return slot_of_node().name; }
NodeSlot& slot_of_node() { return cluster_of_node->nodes[own_number]; }

std::uint32_t number_of_node() { return own_number; }

void become_node(ClusterMemory& memory, std::uint32_t in_cluster) {
  cluster_of_node = &memory;
  own_number = in_cluster;
  is_in_cluster = true;
}

void use_network(ClusterMemory& memory) { cluster_of_node = &memory; }

Network& network_now() {
  cluster_of_node->network.set_time(execution.clock.now(), execution.steps.open().step_count);
  return cluster_of_node->network;
}

void report_of_node(Reported report) {
  if (!is_node()) return;
  report.node = own_number;
  report.task = execution.self().id;
  report.step = execution.steps.open().step_count;
  cluster_of_node->reports.add(report);
}

std::uint32_t host_by_name(const char* name) {
  for (std::uint32_t i = 0; is_node() && i < cluster_of_node->node_count; ++i) {
    if (std::strcmp(cluster_of_node->nodes[i].name, name) == 0) return host_of(i);
  }
  return 0;
}

const char* name_by_host(std::uint32_t host) {
  const std::uint32_t node = node_at(host);
  const bool is_known = is_node() && node < cluster_of_node->node_count;
  return is_known ? cluster_of_node->nodes[node].name : nullptr;
}

}  // namespace ricercar::inline threads
