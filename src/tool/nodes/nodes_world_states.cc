// What a search by states or by delays is shown of a cluster (KnowsStates): how far it has come,
// and who can go on. Tasks have numbers that do not depend on the order of what commutes.
#include "base/error.h"
#include "model/dependence.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

// What each node has done and got, in its order, stands for a state: all that follows depends on
// nothing else. What goes wrong comes before or after everything else.
void NodesWorld::show_to_states(const std::string& strategy, const KnowsStates& states) {
  if (states.compares_orders()) {
    throw UsageError("the strategy '" + strategy +
                     "' works for nodes without reduce=yes only: dpor is the reduction for nodes");
  }
  if (!states.wants_fingerprints()) return;
  if (cluster_.plan().progress > 0) {
    throw UsageError("the strategy '" + strategy +
                     "' does not work with `progress` in the cluster file: whose turn it is then "
                     "is no part of a state. Leave it out, or try ss, random, pct, pos, coverage, "
                     "pb, dfs or mixed");
  }
  commuting_.emplace(names_);
}

// Who can go on without that anything rare happens: nothing goes wrong, and no time limit passes
// although others could go on.
void NodesWorld::find_common() {
  common_ = enabled_;
  if (!counts_delays_) return;
  rare_.clear();
  enabled_.for_each([this](TaskId task) {
    const bool is_early =
        is_due(task) && (!cluster_.plan().early_timeouts || early_.contains(task));
    if (!is_early && !actors_[index(task)].is_injector()) return;
    rare_.insert(task);
    common_.erase(task);
  });
  if (!common_.empty()) return;
  enabled_.for_each([this](TaskId task) {
    if (actors_[index(task)].is_injector() && enabled_.size() > 1) return;
    rare_.erase(task);
    common_.insert(task);
  });
}

// False: the execution is over.
bool NodesWorld::show_state(TaskId now) {
  if (states_ == nullptr) return true;
  commuting_ ? show_end_of_slot() : show_touched();
  show_steps();
  const Fingerprint fingerprint =
      commuting_ ? state_hash_.extend(commuting_->trace()) : Fingerprint{};
  TaskSet options;
  common_.for_each([&](TaskId task) { options.insert(seen_as(task)); });
  const TaskId running = now == no_task ? no_task : seen_as(now);
  try {
    if (!states_->visit({fingerprint, options, running, shown_, nullptr})) stop(Stop::cut);
  } catch (const std::exception& error) {
    error_ = error.what();
    stop(Stop::failed);
  }
  return stop_ == Stop::none;
}

void NodesWorld::show_steps() {
  for (; steps_shown_ < trace_.size(); ++steps_shown_) {
    Step step = trace_[steps_shown_];
    const auto named = [this](std::uint64_t task) {
      return index(seen_as(task_id(static_cast<std::uint32_t>(task))));
    };
    step.task = seen_as(step.task);
    const bool is_value = (step.flags & step_value) != 0;
    const bool wakes = step.kind == OperationKind::signal && (step.flags & step_failed) == 0;
    if (!is_value && (info(step.kind).role == Role::creates || wakes)) {
      step.value = named(step.value);
    }
    shown_.push_back(step);
  }
}

// A link is who gets a message first.
void NodesWorld::show_message(LinkName link) {
  if (states_ == nullptr || last_ == no_task) return;
  show_steps();
  shown_.push_back({0, objects::queue(index(names_.link(link))), 0, seen_as(last_),
                    OperationKind::send, 0, 0, 0, 0});
}

// --- Choices ---

// What is rare is asked for one by one before all others, so that each costs one delay.
TaskId NodesWorld::choose_by_delays(Strategy& strategy, TaskId now) {
  for (std::uint32_t i = 0; i < faults_.size() && rare_.contains(task_of(Actor{})); ++i) {
    if (!happens_now(strategy, task_of(Actor{}))) continue;
    planned_fault_ = i;
    return task_of(Actor{});
  }
  TaskId chosen = no_task;
  rare_.for_each([&](TaskId task) {
    if (chosen != no_task || stop_ != Stop::none || actors_[index(task)].is_injector()) return;
    if (happens_now(strategy, task)) chosen = task;
  });
  if (chosen != no_task || stop_ != Stop::none) return chosen;
  if (common_.size() == 1) return common_.first();
  const OptionList options(&common_, common_.size(), pending_.data());
  const std::size_t index =
      ask(strategy, {ChoiceKind::schedule, trace_.size(), now, options, trace_});
  return stop_ == Stop::none ? options.task(static_cast<std::uint32_t>(index)) : no_task;
}

bool NodesWorld::happens_now(Strategy& strategy, TaskId task) {
  if (stop_ != Stop::none) return false;
  const OptionList options(task, 2, &pending_[index(task)]);
  const FaultOption rare{1, 1};
  return ask(strategy, {ChoiceKind::value, trace_.size(), task, options, trace_, {}, rare}) == 1 &&
         stop_ == Stop::none;
}

std::size_t NodesWorld::ask_by_name(Strategy& strategy, const ChoicePoint& point) {
  ChoicePoint named = point;
  named.step = shown_.size();
  named.trace = shown_;
  if (point.kind == ChoiceKind::value) {
    const Option first = point.options[0];
    named.running = seen_as(first.task);
    named.options = OptionList(named.running, point.options.size(), first.operation);
    const std::size_t chosen = strategy.choose(named);
    const bool is_asked_by_world = point.fault.option != FaultOption::none;
    if (commuting_ && chosen != Strategy::cut && !is_asked_by_world) {
      commuting_->add_value(named.running, chosen, point.options.size());
    }
    return chosen;
  }
  named.fault = {};
  named.early = {};
  named.running = point.running == no_task ? no_task : seen_as(point.running);
  NamedOptions options = named_options(point);
  named.options = OptionList(&options.tasks, options.tasks.size(), seen_pending_.data());
  const std::size_t chosen = strategy.choose(named);
  return chosen == Strategy::cut ? chosen : options.numbers[chosen].second;
}

}  // namespace ricercar::inline nodes
