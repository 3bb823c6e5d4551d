// Who has to wait for others in a cluster, so that nobody waits for ever: time limits, loops that
// look in vain, threads that could have gone on for long.
#include <algorithm>

#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {
namespace {

// How often time passes before clients that are late come: 1 to 31 times. First the order of
// magnitude is drawn, because a system does at its beginning what it does not do later.
constexpr std::size_t magnitudes = 5;

}  // namespace

// It goes on because its time limit passes.
bool NodesWorld::is_due(TaskId task) {
  const Actor& actor = actors_[index(task)];
  return actor.node != no_node && cluster_.slot(actor.node).due.contains(actor.own);
}

// Where the plan says how often a time limit may be shorter than what else there is to do, the
// others pass when nobody else can go on, the earliest of all nodes first.
void NodesWorld::hold_back_time() {
  early_.clear();
  if (!cluster_.plan().early_timeouts) return;
  bool can_others_go_on = false;
  std::uint64_t earliest = ~std::uint64_t{0};
  enabled_.for_each([&](TaskId task) {
    const bool in_vain = index(task) < patience_.size() && patience_[index(task)].in_vain >= 2;
    if (is_due(task)) {
      earliest = std::min(earliest, cluster_.slot(actors_[index(task)].node).deadline);
    } else if (!in_vain) {
      can_others_go_on = true;
    }
  });
  const TaskSet all = enabled_;
  all.for_each([&](TaskId task) {
    if (!is_due(task)) return;
    const std::uint64_t deadline = cluster_.slot(actors_[index(task)].node).deadline;
    if (!can_others_go_on && deadline == earliest) return;
    early_.insert(task);
    if (left_early_ == 0 || is_healed_) enabled_.erase(task);
  });
}

// A time limit passes: before its time, or at all nodes.
void NodesWorld::let_time_pass(TaskId chosen) {
  if (!cluster_.plan().early_timeouts || !is_due(chosen)) return;
  if (early_.contains(chosen)) {
    --left_early_;
    return;
  }
  ++time_passed_;
  const std::uint64_t now = cluster_.slot(actors_[index(chosen)].node).deadline;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    cluster_.slot(i).earliest = std::max(cluster_.slot(i).earliest, now);
  }
}

std::uint64_t NodesWorld::draw_delay_of_clients(Strategy& strategy) {
  const std::uint64_t least = std::uint64_t{1} << ask_injector(strategy, magnitudes);
  return least + ask_injector(strategy, least);
}

// A system that lives by time limits is another one when it has run for a while: connections are
// made, somebody leads. So the clients come at once, or when time has passed some times: that
// is one of the times that it may although somebody could go on.
bool NodesWorld::have_clients_come(Strategy& strategy) {
  if (!are_nodes_ready()) return false;
  if (!clients_come_) {
    const bool may_be_late = left_early_ > 0 && server_count() < cluster_.size();
    const bool are_late = may_be_late && ask_injector(strategy, 2) == 1;
    if (are_late) --left_early_;
    clients_come_ = time_passed_ + (are_late ? draw_delay_of_clients(strategy) : 0);
  }
  return time_passed_ >= *clients_come_;
}

// Where nobody else can go on, nobody has to wait.
void NodesWorld::leave_out_patient() {
  TaskSet left = enabled_;
  for (std::uint32_t i = 0; i < patience_.size(); ++i) {
    TaskSet still;
    patience_[i].others.for_each([&](TaskId other) {
      if (enabled_.contains(other)) still.insert(other);
    });
    patience_[i].others = still;
    if (!still.empty()) left.erase(task_id(i));
  }
  const std::uint32_t nobodys_turn = faults_.empty() ? 0 : 1;
  if (left.size() <= nobodys_turn || left.size() == enabled_.size()) return;
  control_.cluster.was_fair = true;
  enabled_ = left;
}

// A thread that could go on does not wait for ever: others may not go round in circles meanwhile,
// as one that tries to connect again and again. Messages may.
void NodesWorld::let_starved_go_first() {
  constexpr std::uint64_t longest_wait = 200;  // steps
  TaskSet starved, threads;
  enabled_.for_each([&](TaskId task) {
    if (actors_[index(task)].node == no_node) return;
    threads.insert(task);
    if (waits_since_.size() <= index(task)) waits_since_.resize(index(task) + 1);
    std::uint64_t& since = waits_since_[index(task)];
    if (task == last_ || !could_go_on_.contains(task)) since = trace_.size();
    if (trace_.size() - since > longest_wait) starved.insert(task);
  });
  could_go_on_ = threads;
  if (starved.empty()) return;
  control_.cluster.was_fair = true;
  enabled_ = starved;
}

// What goes wrong on purpose is nobody's turn. Once in vain is no circle yet: a time limit may pass
// before a message arrives.
void NodesWorld::note_patience(TaskId task, std::size_t first_step) {
  for (Patience& each : patience_) each.others.erase(task);
  if (patience_.size() <= index(task)) patience_.resize(index(task) + 1);
  Patience& own = patience_[index(task)];
  const bool in_vain = std::all_of(
      trace_.begin() + static_cast<std::ptrdiff_t>(first_step), trace_.end(), [](const Step& step) {
        return (step.flags & (step_failed | step_timeout)) != 0 ||
               step.kind == OperationKind::sleep || step.kind == OperationKind::yield;
      });
  own.in_vain = in_vain ? own.in_vain + 1 : 0;
  if (own.in_vain < 2) return;
  enabled_.for_each([&](TaskId other) {
    if (other != task && !actors_[index(other)].is_injector()) own.others.insert(other);
  });
}

// Who has gone on least recently.
TaskId NodesWorld::next_in_turn() const {
  TaskId next = no_task;
  const auto turn_of = [this](TaskId task) {
    return index(task) < turns_.size() ? turns_[index(task)] : 0;
  };
  enabled_.for_each([&](TaskId task) {
    if (next == no_task || turn_of(task) < turn_of(next)) next = task;
  });
  return next;
}

}  // namespace ricercar::inline nodes
