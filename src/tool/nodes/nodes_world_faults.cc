// What goes wrong on purpose in a cluster.
#include "model/dependence.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

// One task lets things go wrong; which of them is its choice.
void NodesWorld::collect_faults() {
  faults_.clear();
  for (LinkId id = 0; id < cluster_.network().link_count(); ++id) add_faults_of_link(id);
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) add_faults_of_node(i);
  if (!faults_.empty()) offer({}, {objects::links, 0, OperationKind::fault, 0});
}

// Datagrams may get lost; a stream loses nothing as long as both ends live.
void NodesWorld::add_faults_of_link(LinkId id) {
  const MessageQueue& messages = cluster_.network().link(id).messages;
  if (messages.empty() || messages.front()->kind != Message::datagram) return;
  if (left_.drop > 0) faults_.push_back({FaultKind::drop, id});
  if (left_.duplicate > 0) faults_.push_back({FaultKind::duplicate, id});
  if (left_.reorder > 0 && messages.has_two()) faults_.push_back({FaultKind::reorder, id});
}

// Clients do not crash: they are who asks.
void NodesWorld::add_faults_of_node(std::uint32_t node) {
  if (cluster_.plan(node).is_client) return;
  const NodePost post = nodes_[node].post;
  const bool runs = post == NodePost::choice || post == NodePost::idle;
  if (left_.crash > 0 && runs) faults_.push_back({FaultKind::crash, node});
  if (left_.restart > 0 && nodes_[node].has_crashed) faults_.push_back({FaultKind::restart, node});
}

std::uint32_t& NodesWorld::budget(FaultKind kind) {
  switch (kind) {
    case FaultKind::drop:
      return left_.drop;
    case FaultKind::duplicate:
      return left_.duplicate;
    case FaultKind::reorder:
      return left_.reorder;
    case FaultKind::crash:
      return left_.crash;
    case FaultKind::restart:
      break;
  }
  return left_.restart;
}

void NodesWorld::inject(Strategy& strategy, TaskId task, std::uint32_t options) {
  const Operation& operation = pending_[index(task)];
  trace_.push_back({0, operation.object, 0, task, OperationKind::fault, 0, 0, 0,
                    static_cast<std::uint16_t>(options)});
  std::size_t chosen = 0;
  if (faults_.size() > 1) {
    const auto count = static_cast<std::uint32_t>(faults_.size());
    chosen = ask(strategy, {ChoiceKind::value, trace_.size(), task,
                            OptionList(task, count, &operation), trace_});
    if (stop_ != Stop::none) return;
    trace_.push_back({0, operation.object, chosen, task, OperationKind::fault, step_value, 0, 0,
                      static_cast<std::uint16_t>(count)});
  }
  happen(strategy, faults_[chosen]);
}

void NodesWorld::happen(Strategy& strategy, const Fault& fault) {
  --budget(fault.kind);
  if (records_) tell_of_fault(fault);
  Network& network = cluster_.network();
  switch (fault.kind) {
    case FaultKind::drop:
      return network.drop(fault.target);
    case FaultKind::duplicate:
      return network.duplicate(fault.target);
    case FaultKind::reorder:
      return network.reorder(fault.target);
    case FaultKind::crash:
      return crash(fault.target);
    case FaultKind::restart:
      lose_unsynced(strategy, fault.target);
      if (stop_ != Stop::none) return;
      nodes_[fault.target] = {};
      tell(strategy, fault.target, NodeOrder::run);
  }
}

void NodesWorld::crash(std::uint32_t node) {
  cluster_.order(node, NodeOrder::cut);
  cluster_.reports().discard();
  values_.forget_all(node);
  operations_.abandon(node);
  cluster_.network().crash(node);
  if (records_) mark_messages(node, nodes_[node].last_act);
  nodes_[node].post = NodePost::ended;
  nodes_[node].has_crashed = true;
}

}  // namespace ricercar::inline nodes
