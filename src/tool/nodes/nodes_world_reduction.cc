// What a reduction is shown of a cluster: see nodes/commuting_view.h.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "nodes/commuting_view.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

void NodesWorld::show_what_is_wanted(const Strategy& strategy, const std::string& name) {
  if (strategy.as<LearnsContexts>() != nullptr) {
    throw UsageError(
        "the strategy '" + name +
        "' learns which statement follows which on an object that both use, and nodes share none: "
        "it does not work for nodes. Try dpor, bestfirst or coverage");
  }
  if (const auto* states = strategy.as<KnowsStates>()) show_to_states(name, *states);
  if (strategy.as<WantsRest>() == nullptr) return;
  // Only who leaves out executions wants to know of the heap, too.
  reduces_ = strategy.as<WantsHeap>() != nullptr;
  if (reduces_) show_to_reduction(name);
  // Several processes that search agree about numbers.
  if (strategy.as<HasPieces>() != nullptr) names_.fix(cluster_.size());
  commuting_.emplace(names_);
}

// What goes by the state of all nodes cannot be put in another order.
void NodesWorld::show_to_reduction(const std::string& strategy) {
  const ClusterPlan& plan = cluster_.plan();
  const auto refuse = [&](const std::string& field, const std::string& why) {
    throw UsageError(
        "the strategy '" + strategy + "' does not work with `" + field + "` in the cluster file: " +
        why + ". Leave it out, or try ses, ss, random, pct, pos, coverage, pb, dfs or mixed");
  };
  if (plan.early_timeouts) {
    refuse("early_timeouts", "it makes time pass for all nodes at once, so that nothing commutes");
  }
  if (plan.progress > 0) refuse("progress", "it makes all nodes take turns");
  if (plan.faults.any()) {
    refuse("faults",
           "what can go wrong next depends on all nodes, so that it commutes with nothing");
  }
}

TaskId NodesWorld::seen_as(TaskId task) {
  const Actor& actor = actors_[index(task)];
  if (actor.is_injector()) return names_.injector();
  if (actor.link != no_link) {
    return names_.link(cluster_.network().link(actor.link).name);
  }
  return names_.thread(actor.node, actor.own);
}

// --- Choices ---

std::size_t NodesWorld::ask_reduction(Strategy& strategy, const ChoicePoint& point) {
  return point.kind == ChoiceKind::value ? ask_for_value(strategy, point)
                                         : ask_for_task(strategy, point);
}

std::size_t NodesWorld::ask_for_value(Strategy& strategy, const ChoicePoint& point) {
  CommutingView& view = *commuting_;
  const TaskId task = seen_as(point.options.task(0));
  const std::uint32_t count = point.options.size();
  const OptionList options(task, count, point.options[0].operation);
  const std::size_t chosen =
      strategy.choose({point.kind, view.trace().size(), task, options, view.trace()});
  if (chosen != Strategy::cut) view.add_value(task, chosen, count);
  return chosen;
}

std::size_t NodesWorld::ask_for_task(Strategy& strategy, const ChoicePoint& point) {
  show_end_of_slot();
  CommutingView& view = *commuting_;
  NamedOptions options = named_options(point);
  const TaskId running = point.running == no_task ? no_task : seen_as(point.running);
  const OptionList list(&options.tasks, options.tasks.size(), seen_pending_.data());
  const std::size_t chosen =
      strategy.choose({point.kind, view.trace().size(), running, list, view.trace()});
  return chosen == Strategy::cut ? chosen : options.numbers[chosen].second;
}

NodesWorld::NamedOptions NodesWorld::named_options(const ChoicePoint& point) {
  NamedOptions named;
  seen_pending_.resize(max_tasks);
  point.options.for_each([&](const Option& option, std::uint32_t i) {
    const TaskId task = seen_as(option.task);
    named.tasks.insert(task);
    seen_pending_[index(task)] = *option.operation;
    named.numbers.emplace_back(task, i);
  });
  std::sort(named.numbers.begin(), named.numbers.end());
  return named;
}

// --- Slots ---

void NodesWorld::show_slot(TaskId chosen, std::uint32_t options) {
  show_end_of_slot();
  CommutingView& view = *commuting_;
  const TaskId task = seen_as(chosen);
  const Actor& actor = actors_[index(chosen)];
  just_kept_.clear();
  if (actor.is_injector()) {
    return view.begin_slot(task, OperationKind::fault, objects::injection, options);
  }
  if (kept_.contains(chosen)) {
    kept_.erase(chosen);
    view.begin_kept_slot(task, node_at(chosen), std::exchange(options, 0));
  }
  if (actor.link != no_link) {
    const bool is_refused = cluster_.network().will_refuse(actor.link);
    show_arrival(task, cluster_.network().link(actor.link), options);
    if (is_refused) view.touch(objects::node(cluster_.network().link(actor.link).from));
  } else {
    view.begin_slot(task, OperationKind::touch, objects::node(actor.node), options);
  }
  const ClusterPlan& plan = cluster_.plan();
  could_go_wrong_ = plan.faults.any() || plan.early_timeouts;
  // A time limit moves the clocks of all nodes if it does not pass early.
  if (plan.early_timeouts && is_due(chosen)) show_everything();
}

// Of the tasks that could go on before the slot. Whose slot it was has come to where it waits.
void NodesWorld::show_who_is_kept() {
  could_run_.for_each([this](TaskId task) {
    if (enabled_.contains(task) || task == last_) return;
    kept_.insert(task);
    just_kept_.insert(task);
    commuting_->keep(seen_as(task), node_at(task));
  });
  could_run_ = enabled_;
}

// Where what it does shows: a thread in its node, a message where it arrives.
std::uint32_t NodesWorld::node_at(TaskId task) const {
  const Actor& actor = actors_[index(task)];
  return actor.link != no_link ? cluster_.network().link(actor.link).to : actor.node;
}

// With all that it comes after.
void NodesWorld::show_end_of_slot() {
  show_touched();
  if (std::exchange(could_go_wrong_, false)) commuting_->glance(objects::injection);
}

// It is about all nodes: what goes wrong, or the like.
void NodesWorld::show_everything() { commuting_->touch(objects::injection); }

void NodesWorld::show_arrival(TaskId task, const Link& link, std::uint32_t options) {
  CommutingView& view = *commuting_;
  const Message& message = *link.messages.front();
  view.begin_slot(task, OperationKind::arrive, objects::message(index(task), message.number),
                  options);
  const bool is_lost = message.kind == Message::datagram && is_gone(link.to);
  is_lost ? view.glance(objects::node(link.to)) : view.touch(objects::node(link.to));
  const bool finds_closed = message.kind == Message::data &&
                            cluster_.network()[link.target].state == EndpointState::closed;
  if (message.kind == Message::connect || finds_closed) view.touch(objects::node(link.from));
}

// What has happened since the last call belongs to the slot.
void NodesWorld::show_touched() {
  for (const Touched& touched : cluster_.network().touched()) {
    if (touched.what == Touched::message) show_message(touched.link);
    if (commuting_) commuting_->touch(touched);
  }
  cluster_.network().forget_touched();
  if (!commuting_) return;
  CommutingView& view = *commuting_;
  const SlotFacts facts = std::exchange(slot_facts_, {});
  if (facts.has_reported && !properties_.empty()) view.touch(objects::reports);
  if (facts.has_used_files) view.touch(objects::node_files);
  if (facts.has_ended) view.touch(objects::ends);
  if (!have_clients_begun_) show_ready_nodes();
}

void NodesWorld::show_ready_nodes() {
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (cluster_.plan(i).is_client) continue;
    const bool is_now = is_ready(i);
    if (is_now && !nodes_[i].was_ready) commuting_->touch(objects::ready(i));
    if (!is_now && nodes_[i].was_ready) control_.cluster.was_unready = true;
    nodes_[i].was_ready = is_now;
  }
}

// It begins in the slot that has made the last of the nodes ready. Where none can go on although
// they are not ready, after all that these have done.
void NodesWorld::show_beginning(std::uint32_t client) {
  show_touched();
  CommutingView& view = *commuting_;
  view.let_go(names_.thread(client, task_id(0)));
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (cluster_.plan(i).is_client) continue;
    view.follow(nodes_[i].was_ready ? objects::ready(i) : objects::node(i));
  }
}

// --- The end of an execution ---

// All nodes have ended. What is still on its way arrives, so that it is seen that it could have
// come before.
void NodesWorld::deliver_the_rest(Strategy& strategy) {
  stop_ = Stop::none;
  faults_.clear();
  while (stop_ == Stop::none) {
    enabled_.clear();
    for (LinkId id = 0; id < cluster_.network().link_count(); ++id) collect_link(id);
    const std::uint32_t count = enabled_.size();
    if (count == 0) return stop(Stop::ended);
    const TaskId chosen = count == 1 ? enabled_.first() : choose_task(strategy, no_task);
    if (stop_ == Stop::none) perform(strategy, chosen, count, no_task);
  }
}

// What the others would have done next. If the clients have ended, nothing keeps the others from
// it, and how far they have come is a part of what has come of the execution.
void NodesWorld::show_end() {
  undone_.clear();
  if (stop_ != Stop::ended && stop_ != Stop::limit) return;
  collect_options();
  show_touched();
  const bool ends_by_itself = stop_ == Stop::ended && !outcome_.is_bug();
  const bool has_clients = server_count() < cluster_.size();
  TaskSet could_go_on = enabled_;
  // They could have gone on instead of the slot that has ended the execution.
  if (outcome_.is_bug() || (ends_by_itself && has_clients)) {
    just_kept_.for_each([&](TaskId task) { could_go_on.insert(task); });
  }
  could_go_on.for_each([this](TaskId task) {
    if (!actors_[index(task)].is_injector()) undone_.push_back(left_by(task));
  });
  if (ends_by_itself && has_clients) {
    for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
      commuting_->glance(objects::node(i));
    }
    if (!undone_.empty()) commuting_->exit();
  }
  kept_.for_each([&](TaskId task) {
    if (could_go_on.contains(task)) return;
    undone_.push_back(CommutingView::wanted(seen_as(task), node_at(task)));
  });
  show_end_of_slot();
}

Step NodesWorld::left_by(TaskId task) {
  return {0, objects::node(node_at(task)), 0, seen_as(task), OperationKind::touch, 0, 0, 0, 0};
}

// For a property that sees more than what was reported nothing commutes.
void NodesWorld::refuse_what_sees_inside() {
  const bool matters = reduces_ || (commuting_ && states_ != nullptr);
  if (!matters || !view_.has_seen_inside()) return;
  error_ =
      "a property asks for global(), sent() or delivered(), and every step may change that: no "
      "order can be left out. Report the values with ricercar::log, or try --strategy random";
  stop(Stop::failed);
}

}  // namespace ricercar::inline nodes
