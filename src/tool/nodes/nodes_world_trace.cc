// Who is which task of a cluster, and the one trace that the nodes' own steps become.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "model/dependence.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {
namespace {

// Larger values are likely to be pointers.
std::uint64_t step_hash(const Step& step) {
  const std::uint64_t value = step.value < (std::uint64_t{1} << 32) ? step.value : 0;
  const std::uint64_t flags = step.flags & (step_failed | step_timeout | step_value);
  const std::uint64_t what = static_cast<std::uint64_t>(step.kind) << 8 | flags;
  return mix64(mix64(step.site ^ mix64(value)) ^ what << 32 ^ index(step.task));
}

}  // namespace

void NodesWorld::note_history(std::uint32_t node, std::uint64_t hash) {
  nodes_[node].history = mix64(nodes_[node].history ^ hash);
}

void NodesWorld::note_history(std::uint32_t node, const Link& link, const Message& message) {
  if (!notes_histories_ || is_gone(node)) return;
  std::uint64_t hash = mix64(std::uint64_t{link.name.node} << 32 | link.name.number);
  hash = mix64(hash ^ std::uint64_t{message.kind} << 32 ^ message.size);
  for (std::uint32_t i = 0; i < message.size; ++i) hash = mix64(hash ^ message.bytes[i]);
  note_history(node, hash);
}

// What each node has done and got, in its own order: two executions that differ only in the order
// of what commutes have the same number. How far the others had come when one failed is not told.
std::uint64_t NodesWorld::trace_hash() {
  if (stop_ == Stop::cut) return 0;
  if (outcome_.is_bug() && outcome_.kind != OutcomeKind::deadlock) {
    return mix64(std::hash<std::string>()(outcome_.message));
  }
  std::uint64_t sum = static_cast<std::uint64_t>(outcome_.kind) + 1;
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) sum += mix64(nodes_[i].history ^ mix64(i));
  return mix64(sum);
}

TaskId NodesWorld::new_task(const Actor& actor) {
  if (actors_.size() >= max_tasks) {
    throw UsageError("more than " + std::to_string(max_tasks) +
                     " threads and connections in one execution: Ricercar's limit");
  }
  actors_.push_back(actor);
  if (actor.link == no_link) {
    places_.push_back({actor.node, actor.node});
  } else {
    const Link& link = cluster_.network().link(actor.link);
    places_.push_back({link.from, link.to});
  }
  return task_id(static_cast<std::uint32_t>(actors_.size() - 1));
}

TaskId NodesWorld::task_of(std::uint32_t node, TaskId own) {
  std::vector<TaskId>& tasks = nodes_[node].tasks;
  if (tasks.size() <= index(own)) tasks.resize(index(own) + 1, no_task);
  TaskId& task = tasks[index(own)];
  if (task == no_task) task = new_task({node, own, no_link});
  return task;
}

TaskId NodesWorld::task_of(const Actor& actor) {
  if (actor.link != no_link) {
    if (link_tasks_.size() <= actor.link) link_tasks_.resize(actor.link + 1, no_task);
    TaskId& task = link_tasks_[actor.link];
    if (task == no_task) task = new_task(actor);
    return task;
  }
  const auto found = std::find(actors_.begin(), actors_.end(), actor);
  return found == actors_.end() ? new_task(actor)
                                : task_id(static_cast<std::uint32_t>(found - actors_.begin()));
}

// Addresses of two nodes are not the same memory.
std::uint64_t NodesWorld::object_of(std::uint32_t node, std::uint64_t object) const {
  return object == 0 || object >= objects::pseudo ? object : objects::in_node(node, object);
}

void NodesWorld::take_steps(std::uint32_t node) {
  const OpenTrace& open = cluster_.slot(node).open;
  for (std::uint64_t& seen = nodes_[node].seen; seen < open.step_count; ++seen) {
    take_reports(seen);
    const Step step = as_seen(node, open.steps[seen]);
    const bool lets_time_pass =
        (step.flags & step_timeout) != 0 || step.kind == OperationKind::sleep;
    if (lets_time_pass) {
      nodes_[node].has_waited = true;
      cluster_.network().release(node);
    }
    if (is_file_call(step.kind)) slot_facts_.has_used_files = true;
    if (notes_histories_) note_history(node, step_hash(open.steps[seen]));
    trace_.push_back(step);
    if (records_) tell_of_step(node, open.steps[seen]);
  }
  take_reports(open.step_count);
  NodeSlot& slot = cluster_.slot(node);
  if (std::exchange(slot.has_locked_files, false) || slot.meets_in_kernel) {
    slot_facts_.has_used_files = true;
  }
  if (records_) mark_messages(node, 0);
}

// What the node decided alone was nobody else's choice.
Step NodesWorld::as_seen(std::uint32_t node, Step step) {
  const auto& kind = info(step.kind);
  step.task = task_of(node, step.task);
  if (kind.touches == Touches::others_end || kind.touches == Touches::other_task) {
    step.object = index(task_of(node, task_id(static_cast<std::uint32_t>(step.object))));
  } else if (step.kind != OperationKind::hint) {
    step.object = object_of(node, step.object);
  }
  if (kind.role == Role::creates) {
    step.value = index(task_of(node, task_id(static_cast<std::uint32_t>(step.value))));
  }
  if ((step.flags & step_value) == 0) {
    step.options = 0;
    step.flags &= static_cast<std::uint8_t>(~step_preempts);
  }
  return step;
}

// --- Who meets others ---

void NodesWorld::note_meetings() {
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    bool meets = nodes_[i].post != NodePost::ended || nodes_[i].has_waited;
    for (std::uint32_t j = 0; j < cluster_.size(); ++j) {
      meets = meets || cluster_.network().sent(i, j) > 0;
    }
    if (meets) control_.cluster.meets |= std::uint64_t{1} << i;
  }
}

}  // namespace ricercar::inline nodes
