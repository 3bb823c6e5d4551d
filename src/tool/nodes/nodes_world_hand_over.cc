// A node gets the turn, and what comes of that is taken over.
#include <algorithm>

#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

// A node goes on, up to where it meets the others again. False: the execution is over.
bool NodesWorld::tell(Strategy& strategy, std::uint32_t node, NodeOrder order,
                      std::uint32_t answer) {
  cluster_.blocks().begin_turn();
  if (!cluster_.order(node, order, answer)) {
    give_up_on(node);
    return false;
  }
  take_blocks(node);
  return settle(strategy, node) && pass_on_changes(strategy);
}

bool NodesWorld::settle(Strategy& strategy, std::uint32_t node) {
  nodes_[node].post = cluster_.slot(node).post;
  if (nodes_[node].post == NodePost::idle) nodes_[node].has_waited = true;
  if (cluster_.slot(node).tasks > 1) control_.cluster.has_threads = true;
  take_steps(node);
  if (stop_ != Stop::none || !answer_values(strategy, node)) return false;
  return nodes_[node].post != NodePost::ended || note_end(node);
}

bool NodesWorld::answer_values(Strategy& strategy, std::uint32_t node) {
  while (nodes_[node].post == NodePost::value) {
    const NodeSlot& slot = cluster_.slot(node);
    const TaskId task = task_of(node, slot.chooser);
    const Operation& operation = slot.pending[index(slot.chooser)];
    const std::size_t chosen =
        ask(strategy, {ChoiceKind::value, trace_.size(), task,
                       OptionList(task, slot.alternatives, &operation), trace_});
    if (stop_ != Stop::none) return false;
    cluster_.blocks().begin_turn();
    if (!cluster_.order(node, NodeOrder::choose, static_cast<std::uint32_t>(chosen))) {
      give_up_on(node);
      return false;
    }
    take_blocks(node);
    nodes_[node].post = slot.post;
    take_steps(node);
    if (stop_ != Stop::none) return false;
  }
  return true;
}

// Something has arrived at the node. True: what it can do now is known without a hand-over; it
// looks for itself when it is told what to do.
bool NodesWorld::foresees(std::uint32_t node) {
  NodeSlot& slot = cluster_.slot(node);
  if (!slot.foresees) return false;
  TaskId next = no_task;
  for (std::uint32_t i = 0; i < slot.awaited_count; ++i) {
    if (!cluster_.network().has_arrived(slot.awaited[i].endpoint)) continue;
    if (next != no_task) return false;
    next = slot.awaited[i].task;
  }
  slot.looks_first = true;
  slot.clock = std::max(slot.clock, slot.earliest);
  if (next == no_task) return true;
  nodes_[node].post = slot.post = NodePost::choice;
  slot.running = slot.last == next ? next : no_task;
  slot.enabled.clear();
  slot.enabled.insert(next);
  slot.due.clear();
  return true;
}

// Something has arrived: those who wait for it look again.
bool NodesWorld::pass_on_changes(Strategy& strategy) {
  while (const std::uint64_t changed = cluster_.network().take_changed_nodes()) {
    for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
      const bool looks = nodes_[i].post == NodePost::choice || nodes_[i].post == NodePost::idle;
      if ((changed >> i & 1) == 0 || !looks || foresees(i)) continue;
      if (!cluster_.order(i, NodeOrder::look)) {
        give_up_on(i);
        return false;
      }
      if (!settle(strategy, i)) return false;
    }
  }
  return stop_ == Stop::none;
}

// Its process has ended in a way that is no finding: somebody has killed it, or it did what cannot
// be put under control.
void NodesWorld::give_up_on(std::uint32_t node) {
  nodes_[node].post = NodePost::nothing;
  error_ = "the node " + ricercar::quoted(cluster_.plan(node).name) + cluster_.why(node);
  stop(Stop::failed);
}

}  // namespace ricercar::inline nodes
