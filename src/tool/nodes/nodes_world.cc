#include "nodes/nodes_world.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "disk/undo.h"
#include "model/dependence.h"
#include "nodes/cluster_notes.h"
#include "nodes/ordinary_execution.h"
#include "nodes/time_stamp_trap.h"
#include "search/found_bugs.h"
#include "strategy/registry.h"

namespace ricercar::inline nodes {

NodesWorld::NodesWorld(Control& control, Cluster& cluster, Properties& properties,
                       std::function<bool()> is_over)
    : control_(control),
      cluster_(cluster),
      properties_(properties),
      is_over_(std::move(is_over)),
      nodes_(cluster.size()),
      pending_(max_tasks),
      view_(cluster, values_, operations_, [this](std::uint32_t node) {
        return nodes_[node].post != NodePost::nothing && !nodes_[node].has_crashed;
      }) {}

std::unique_ptr<Strategy> NodesWorld::new_strategy() {
  const Request& request = control_.request;
  if (request.records) return std::make_unique<OrdinaryExecution>();
  const bool is_default = std::string_view(request.strategy) == default_strategy_of_nodes;
  std::unique_ptr<Strategy> strategy = make_strategy(
      is_default ? "mixed:members=nodes" : std::string_view(request.strategy), request.seed,
      {request.memory,
       request.scratch_file,
       {{}, {}, {}},
       {},
       {},
       {request.decisions.data, request.decisions.size}});
  show_what_is_wanted(*strategy, std::string(strategy_info(request.strategy).name));
  return strategy;
}

void NodesWorld::end_search() {
  if (control_.request.in_pieces) return;  // who has the whole tells it
  tell_what_was_seen();
  control_.covers_all = strategy_ != nullptr && strategy_->coverage().complete;
  tell_of_cluster(control_, cluster_.plan());
}

void NodesWorld::tell_what_was_seen() {
  copy_text(control_.not_modelled, not_modelled());
  control_.cluster.is_known = true;
  std::string unjudged;
  for (const std::string& name : properties_.never_judged()) unjudged += name + "\n";
  copy_text(control_.cluster.unjudged, unjudged);
}

// A search by delays goes by the numbers of tasks, which are of one piece then. Those of a
// reduction are fixed.
void NodesWorld::begin_piece(bool) {
  if (!commuting_) names_ = {};
}

void NodesWorld::begin_telling() {
  cluster_.forget_not_modelled();
  properties_.forget_judged();
}

void NodesWorld::end_telling() {
  tell_what_was_seen();
  control_.runtime_address = cluster_.places();
}

// An execution ends at a race, also if the search goes on after it.
Change NodesWorld::learned() {
  if (outcome_.kind == OutcomeKind::data_race) control_.unfollowed_races = true;
  return Change::nothing;
}

bool NodesWorld::leaves_out(const Outcome& finding) {
  if (!is_ignored(control_.request, finding.kind)) return false;
  add_ignored(control_, finding);
  return true;
}

// --- One execution ---

bool NodesWorld::restore() {
  cluster_.clean_up();
  cluster_.start();
  return true;
}

void NodesWorld::begin_execution() {
  cluster_.network().begin_execution(cluster_.size());
  cluster_.reports().begin_execution();
  undo_all(cluster_.disk());
  for (Node& node : nodes_) node = {};
  actors_.clear();
  places_.clear();
  link_tasks_.clear();
  enabled_.clear();
  trace_.clear();
  values_.clear();
  operations_.clear();
  properties_.begin_execution();
  story_ = {};
  block_times_.assign(cluster_.size(), {});
  outcome_ = {};
  if (commuting_) commuting_->begin_execution();
  cluster_.network().note_touched(commuting_.has_value() || states_ != nullptr);
  could_run_.clear();
  kept_.clear();
  could_go_wrong_ = false;
  shown_.clear();
  steps_shown_ = 0;
  state_hash_.begin();
  planned_fault_.reset();
  slot_facts_ = {};
  left_ = cluster_.plan().faults;
  left_early_ = cluster_.plan().early_timeouts.value_or(0);
  show_budgets();
  has_gone_wrong_ = is_healed_ = false;
  turns_.clear();
  patience_.clear();
  could_go_on_.clear();
  have_clients_begun_ = false;
  time_passed_ = 0;
  clients_come_.reset();
  last_ = no_task;
  stop_ = Stop::none;
  error_.clear();
}

ExecutionEnd NodesWorld::run(Strategy& strategy) {
  strategy_ = &strategy;
  learns_ = strategy.as<LearnsBlocks>();
  states_ = strategy.as<KnowsStates>();
  counts_delays_ = states_ != nullptr && states_->counts_delays();
  notes_histories_ = control_.request.count_traces || strategy.as<Samples>() != nullptr;
  cluster_memory().notes_blocks = learns_ != nullptr || records_;
  const TimeStampTrap as_nodes_have_it(true);
  begin_execution();
  run_steps(strategy);
  if (control_.request.in_pieces && names_.is_order_seen()) Cluster::leave_to_one();
  if (commuting_ && states_ == nullptr) {
    const bool ends_well = stop_ == Stop::ended && !outcome_.is_bug();
    if (ends_well && reduces_ && server_count() == cluster_.size()) deliver_the_rest(strategy);
    show_end();
  }
  // All that still run go back to where they wait for the next execution.
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    const NodePost post = nodes_[i].post;
    const bool runs = post == NodePost::choice || post == NodePost::value || post == NodePost::idle;
    if (runs) cluster_.order(i, NodeOrder::cut);
    if (cluster_.slot(i).left_damage) cluster_.give_up(i);
  }
  note_meetings();
  ExecutionEnd end;
  end.outcome = &outcome_;
  end.trace = trace_;
  if (commuting_ && states_ == nullptr) end.seen = commuting_->trace();
  end.tasks = static_cast<std::uint32_t>(actors_.size());
  end.reached_step_limit = stop_ == Stop::limit;
  end.was_cut = stop_ == Stop::cut;
  end.was_stopped = stop_ == Stop::over;
  end.has_error = !error_.empty();
  end.has_findings = outcome_.is_bug();
  return end;
}

void NodesWorld::run_steps(Strategy& strategy) {
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    cluster_.slot(i).left_damage = false;
    cluster_.slot(i).clock = cluster_.slot(i).earliest = 0;
    cluster_.slot(i).skew = 0;
    cluster_.slot(i).lives = 0;
    cluster_.slot(i).meets_in_kernel = false;
  }
  if (cluster_.plan().is_swarm && !draw_swarm(strategy)) return;
  if (!start_all(strategy, false)) return;
  while (step(strategy)) {
    if (trace_.size() % 64 == 0 && is_over_()) stop(Stop::over);
  }
}

bool NodesWorld::start_all(Strategy& strategy, bool clients) {
  for (std::uint32_t i = 0; i < cluster_.size() && stop_ == Stop::none; ++i) {
    if (cluster_.plan(i).is_client != clients) continue;
    if (clients && commuting_) show_beginning(i);
    start(strategy, i);
  }
  if (clients && commuting_) show_touched();
  have_clients_begun_ = clients;
  return stop_ == Stop::none;
}

void NodesWorld::start(Strategy& strategy, std::uint32_t node) {
  note(ActKind::start, node, "");
  if (tell(strategy, node, NodeOrder::run)) check_properties(node);
}

// Clients begin when every node can be reached, or waits, or has ended.
bool NodesWorld::are_nodes_ready() {
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (!cluster_.plan(i).is_client && !is_ready(i)) return false;
  }
  return true;
}

bool NodesWorld::is_ready(std::uint32_t node) {
  return nodes_[node].has_waited || nodes_[node].post == NodePost::ended ||
         cluster_.network().is_reachable(node);
}

// False: the execution is over.
bool NodesWorld::step(Strategy& strategy) {
  if (stop_ != Stop::none) return false;
  if (!have_clients_begun_ && have_clients_come(strategy) && !start_all(strategy, true)) {
    return false;
  }
  if (stop_ != Stop::none) return false;
  if (cluster_.network().is_full()) {
    error_ = "one execution has opened more sockets, or sent more, than there is room for";
    stop(Stop::failed);
    return false;
  }
  if (cluster_.reports().is_full()) {
    error_ = "one execution has reported more values than there is room for";
    stop(Stop::failed);
    return false;
  }
  if (is_finished()) {
    common_.clear();
    if (!show_state(no_task)) return false;
    check_end();
    stop(Stop::ended);
    return false;
  }
  if (trace_.size() >= control_.request.max_steps && !is_healed_) {
    if (cluster_.plan().progress == 0) {
      stop(Stop::limit);
      return false;
    }
    heal_all(strategy);
  }
  if (is_healed_) demand_progress();
  if (stop_ != Stop::none) return false;
  const bool all_wait = collect_options();
  if (all_wait && !have_clients_begun_) return start_all(strategy, true);
  const std::uint32_t count = enabled_.size();
  const TaskId now = running();
  if (states_ != nullptr) {
    find_common();
    if (!show_state(now)) return false;
  }
  if (count == 0) {
    stuck();
    return false;
  }
  if (is_healed_) {
    perform(strategy, next_in_turn(), 1, now);
  } else if (count == 1) {
    perform(strategy, enabled_.first(), 1, now);
  } else {
    const TaskId chosen =
        counts_delays_ ? choose_by_delays(strategy, now) : choose_task(strategy, now);
    if (stop_ == Stop::none) perform(strategy, chosen, count, now);
  }
  if (stop_ == Stop::none) check_properties(node_of_last_step());
  return stop_ == Stop::none;
}

TaskId NodesWorld::choose_task(Strategy& strategy, TaskId now) {
  const OptionList options(&enabled_, enabled_.size(), pending_.data());
  FaultOption fault;
  if (learns_ != nullptr) name_actions();
  const TaskId injector = faults_.empty() ? no_task : task_of(Actor{});
  if (injector != no_task && enabled_.contains(injector)) {
    fault = fault_option(options.position(injector));
  }
  const TaskSet early = early_options(injector);
  const EarlyOptions rare = {early.empty() ? nullptr : &early, left_early_};
  const std::size_t index =
      ask(strategy,
          {ChoiceKind::schedule, trace_.size(), now, options, trace_, {}, fault, rare, places_});
  return stop_ == Stop::none ? options.task(static_cast<std::uint32_t>(index)) : no_task;
}

// Time limits that would pass early, if there is something else to choose.
TaskSet NodesWorld::early_options(TaskId injector) const {
  TaskSet early;
  bool has_others = false;
  enabled_.for_each([&](TaskId task) {
    if (early_.contains(task)) {
      early.insert(task);
    } else if (task != injector) {
      has_others = true;
    }
  });
  return has_others ? early : TaskSet();
}

std::size_t NodesWorld::ask(Strategy& strategy, const ChoicePoint& point) {
  try {
    const std::size_t chosen = states_ != nullptr ? ask_by_name(strategy, point)
                               : commuting_       ? ask_reduction(strategy, point)
                                                  : strategy.choose(point);
    if (chosen == Strategy::cut) stop(Stop::cut);
    return chosen;
  } catch (const std::exception& error) {
    error_ = error.what();
    stop(Stop::failed);
    return 0;
  }
}

// --- What there is to choose from ---

// True: all wait, and only what ends a fault could change that.
bool NodesWorld::collect_options() {
  enabled_.clear();
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (nodes_[i].post == NodePost::choice) collect_node(i);
  }
  lose_what_is_cut_off();
  for (LinkId id = 0; id < cluster_.network().link_count(); ++id) collect_link(id);
  if (reduces_) show_who_is_kept();
  hold_back_time();
  // Where nothing else can happen, what takes long comes.
  if (enabled_.empty()) {
    if (cluster_.network().release_all() && commuting_) show_everything();
    for (LinkId id = 0; id < cluster_.network().link_count(); ++id) collect_link(id);
  }
  const bool all_wait = enabled_.empty();
  collect_faults();
  if (all_wait) keep_repairs_only();
  leave_out_patient();
  let_starved_go_first();
  return all_wait;
}

void NodesWorld::collect_link(LinkId id) {
  if (!cluster_.network().can_deliver(id)) return;
  offer({no_node, no_task, id}, {objects::link(id), 0, OperationKind::arrive, 0});
}

void NodesWorld::offer(const Actor& actor, const Operation& operation) {
  const TaskId task = task_of(actor);
  enabled_.insert(task);
  pending_[index(task)] = operation;
}

void NodesWorld::collect_node(std::uint32_t node) {
  const NodeSlot& slot = cluster_.slot(node);
  slot.enabled.for_each([&](TaskId own) {
    const TaskId task = task_of(node, own);
    Operation operation = slot.pending[index(own)];
    operation.object = object_of(node, operation.object);
    pending_[index(task)] = operation;
    enabled_.insert(task);
    if (records_) note_call(node, own);
  });
}

void NodesWorld::note_call(std::uint32_t node, TaskId own) {
  std::vector<std::string>& calls = nodes_[node].calls;
  if (calls.size() <= index(own)) calls.resize(index(own) + 1);
  calls[index(own)] = cluster_.slot(node).calls[index(own)];
}

TaskId NodesWorld::running() const {
  if (last_ == no_task || !enabled_.contains(last_)) return no_task;
  const Actor& actor = actors_[index(last_)];
  if (actor.node == no_node) return no_task;
  const bool goes_on =
      nodes_[actor.node].post == NodePost::choice && cluster_.slot(actor.node).running == actor.own;
  return goes_on ? last_ : no_task;
}

// --- What happens ---

void NodesWorld::perform(Strategy& strategy, TaskId chosen, std::uint32_t options, TaskId now) {
  const Actor actor = actors_[index(chosen)];
  last_ = chosen;
  actions_.clear();
  if (turns_.size() <= index(chosen)) turns_.resize(index(chosen) + 1, 0);
  turns_[index(chosen)] = trace_.size() + 1;
  const std::uint64_t action = learns_ != nullptr ? action_of(chosen) : 0;
  if (commuting_) show_slot(chosen, options);
  if (actor.is_injector()) return inject(strategy, chosen, options);
  if (actor.link != no_link) {
    note_patience(chosen, trace_.size());
    patience_[index(chosen)] = {};  // a message is never in vain
    nodes_[cluster_.network().link(actor.link).to].delivery = action;
    deliver(chosen, actor.link, options);
    pass_on_changes(strategy);
    return;
  }
  let_time_pass(chosen);
  const NodeSlot& slot = cluster_.slot(actor.node);
  const std::uint32_t answer = slot.enabled.position(actor.own);
  const std::size_t before = trace_.size();
  actions_.assign(1, action);
  tell(strategy, actor.node, NodeOrder::choose, answer);
  note_patience(chosen, before);
  if (trace_.size() == before) return;
  trace_[before].options = static_cast<std::uint16_t>(options);
  if (now != no_task && now != chosen) trace_[before].flags |= step_preempts;
}

void NodesWorld::deliver(TaskId task, LinkId id, std::uint32_t options) {
  const Link& link = cluster_.network().link(id);
  const Message& message = *link.messages.front();
  trace_.push_back({0, objects::link(id), message.size, task, OperationKind::arrive, 0, 0, 0,
                    static_cast<std::uint16_t>(options)});
  std::uint64_t& earliest = cluster_.slot(link.to).earliest;
  earliest = std::max(earliest, message.sent_at);
  note_history(link.to, link, message);
  if (message.kind == Message::connect) note_history(link.from, link, message);
  cluster_.network().deliver(id);
  if (records_) tell_of_message(link, message);
}

// True: the others go on.
bool NodesWorld::note_end(std::uint32_t node) {
  const NodeSlot& slot = cluster_.slot(node);
  if (slot.outcome.kind != OutcomeKind::ok) {
    fail(slot.outcome.kind, node, slot.outcome.message);
    return false;
  }
  if (slot.was_limited) stop(Stop::limit);
  slot_facts_.has_ended |= cluster_.plan(node).is_client || server_count() == cluster_.size();
  note(ActKind::end, node, "ends");
  return stop_ == Stop::none;
}

void NodesWorld::fail(OutcomeKind kind, std::uint32_t node, const std::string& message) {
  failed_node_ = node;
  outcome_ = {};
  outcome_.kind = kind;
  outcome_.message = cluster_.plan(node).name + ": " + message;
  outcome_.task =
      task_of(node, cluster_.slot(node).outcome.task == no_task ? task_id(0)
                                                                : cluster_.slot(node).outcome.task);
  note(ActKind::fail, node, "fails: " + message);
  stop(Stop::ended);
}

// An execution is over when its clients are; without any, when all nodes are.
bool NodesWorld::is_finished() const {
  bool any_client = false;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    const bool has_ended = nodes_[i].post == NodePost::ended;
    if (!cluster_.plan(i).is_client) continue;
    any_client = true;
    if (!has_ended) return false;
  }
  if (any_client) return true;
  return std::all_of(nodes_.begin(), nodes_.end(),
                     [](const Node& node) { return node.post == NodePost::ended; });
}

void NodesWorld::stuck() {
  std::string who;
  std::uint32_t first = no_node;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (nodes_[i].post == NodePost::ended) continue;
    if (first == no_node) first = i;
    who += (who.empty() ? "" : ", ") + cluster_.plan(i).name;
  }
  fail(OutcomeKind::deadlock, first,
       "all nodes wait, no message is on its way and no time limit can pass: " + who);
}

}  // namespace ricercar::inline nodes
