// What goes wrong on purpose in a cluster.
#include <algorithm>
#include <numeric>
#include <utility>

#include "model/dependence.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

namespace {

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t skews[] = {second, -second, 3600 * second, -3600 * second};
constexpr std::uint32_t skew_count = std::size(skews);

// What a partition is about: two nodes, one of which does not hear the other any more; or all
// nodes, which are split in two.
constexpr std::uint32_t all_nodes = no_node;
constexpr std::uint32_t one_way(std::uint32_t from, std::uint32_t to) {
  return from * max_nodes + to;
}

}  // namespace

// --- What could go wrong ---

// One task lets things go wrong: first it is chosen what happens, then to whom.
void NodesWorld::collect_faults() {
  faults_.clear();
  if (is_healed_) return;
  if (may_links_fail()) {
    for (const LinkId id : links_by_name()) add_faults_of_link(id);
  }
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) add_faults_of_node(i);
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) add_faults_of_calls(i);
  if (left_[FaultKind::partition] > 0) add_partitions();
  add_repairs();
  std::stable_sort(faults_.begin(), faults_.end(), [](const Fault& a, const Fault& b) {
    return std::pair(a.what, a.kind) < std::pair(b.what, b.kind);
  });
  if (!faults_.empty()) offer({}, {objects::links, 0, OperationKind::fault, 0});
}

bool NodesWorld::may_links_fail() const {
  return left_[FaultKind::drop] + left_[FaultKind::duplicate] + left_[FaultKind::reorder] +
             left_[FaultKind::delay] >
         0;
}

// The same order, whichever of them was made first.
std::vector<LinkId> NodesWorld::links_by_name() const {
  const Network& network = cluster_.network();
  std::vector<LinkId> all(network.link_count());
  std::iota(all.begin(), all.end(), 0);
  std::sort(all.begin(), all.end(),
            [&network](LinkId a, LinkId b) { return network.link(a).name < network.link(b).name; });
  return all;
}

// Datagrams may get lost; a stream loses nothing as long as both ends live.
void NodesWorld::add_faults_of_link(LinkId id) {
  const Link& link = cluster_.network().link(id);
  if (!cluster_.network().can_deliver(id)) return;
  if (left_[FaultKind::delay] > 0) faults_.push_back({FaultKind::delay, Fault::begins, id});
  if (link.messages.front()->kind != Message::datagram) return;
  if (left_[FaultKind::drop] > 0) faults_.push_back({FaultKind::drop, Fault::begins, id});
  if (left_[FaultKind::duplicate] > 0) faults_.push_back({FaultKind::duplicate, Fault::begins, id});
  if (left_[FaultKind::reorder] > 0 && link.messages.has_two()) {
    faults_.push_back({FaultKind::reorder, Fault::begins, id});
  }
}

// Clients do not crash: they are who asks.
void NodesWorld::add_faults_of_node(std::uint32_t node) {
  const NodePost post = nodes_[node].post;
  const bool runs = post == NodePost::choice || post == NodePost::idle;
  for (std::uint32_t i = 0; left_[FaultKind::skew] > 0 && runs && i < skew_count; ++i) {
    faults_.push_back({FaultKind::skew, Fault::begins, node * skew_count + i});
  }
  if (cluster_.plan(node).is_client) return;
  if (left_[FaultKind::crash] > 0 && runs) {
    faults_.push_back({FaultKind::crash, Fault::begins, node});
  }
  if (left_[FaultKind::restart] > 0 && nodes_[node].has_crashed) {
    faults_.push_back({FaultKind::restart, Fault::begins, node});
  }
}

// Only between nodes that have something to say to each other. One partition at a time.
void NodesWorld::add_partitions() {
  const Network& network = cluster_.network();
  if (network.has_cuts()) return;
  std::uint64_t known[max_nodes] = {};
  for (LinkId id = 0; id < network.link_count(); ++id) {
    const Link& link = network.link(id);
    if (link.from != link.to) known[link.from] |= std::uint64_t{1} << link.to;
  }
  bool any = false;
  for (std::uint32_t from = 0; from < cluster_.size(); ++from) {
    for (std::uint32_t to = 0; to < cluster_.size(); ++to) {
      if ((known[from] >> to & 1) == 0) continue;
      faults_.push_back({FaultKind::partition, Fault::begins, one_way(from, to)});
      any = true;
    }
  }
  if (any && server_count() > 1) {
    faults_.push_back({FaultKind::partition, Fault::begins, all_nodes});
  }
}

void NodesWorld::add_repairs() {
  if (cluster_.network().has_cuts()) faults_.push_back({FaultKind::partition, Fault::ends, 0});
  if (cluster_.plan().progress > 0 && has_gone_wrong_) {
    faults_.push_back({FaultKind::partition, Fault::all_end, 0});
  }
}

// That all nodes wait is not changed by what could go wrong, only by what ends it.
void NodesWorld::keep_repairs_only() {
  std::erase_if(faults_, [](const Fault& fault) { return !fault.is_repair(); });
  if (faults_.empty()) enabled_.clear();
}

std::uint32_t NodesWorld::server_count() const {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) count += cluster_.plan(i).is_client ? 0 : 1;
  return count;
}

// How often something may still happen, of what could happen now, and of which kinds it is.
FaultOption NodesWorld::fault_option(std::uint32_t position) const {
  FaultOption option = {position};
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    const Fault& fault = faults_[i];
    if (i > 0 && fault.is_like(faults_[i - 1])) continue;
    const bool begins = fault.what == Fault::begins;
    if (begins && fault.kind == FaultKind::restart) option.restart = option.kinds;
    option.left += begins ? left_[fault.kind] : 1;
    ++option.kinds;
  }
  return option;
}

// A datagram that would have to cross a cut is lost.
void NodesWorld::lose_what_is_cut_off() {
  Network& network = cluster_.network();
  if (!network.has_cuts()) return;
  for (LinkId id = 0; id < network.link_count(); ++id) {
    const Link& link = network.link(id);
    while (network.is_cut(link.from, link.to) && !link.messages.empty() &&
           link.messages.front()->kind == Message::datagram) {
      if (records_) tell_of_fault({FaultKind::drop, Fault::begins, id});
      network.drop(id);
    }
  }
}

// --- What does go wrong ---

// The injector's choice among so many, unless it is known.
std::size_t NodesWorld::ask_injector(Strategy& strategy, std::size_t alternatives,
                                     std::span<const std::uint32_t> targets,
                                     std::optional<std::size_t> planned) {
  if (alternatives < 2) return 0;
  const TaskId task = task_of(Actor{});
  const Operation operation{objects::links, 0, OperationKind::fault, 0};
  const auto count = static_cast<std::uint32_t>(alternatives);
  const OptionList options(task, count, &operation);
  const ChoicePoint point = {ChoiceKind::value, trace_.size(), task, options, trace_, {}, {}, {},
                             places_,           targets};
  const std::size_t chosen = planned ? *planned : ask(strategy, point);
  if (stop_ != Stop::none) return 0;
  if (planned && commuting_) commuting_->add_value(names_.injector(), chosen, count);
  trace_.push_back({0, operation.object, chosen, task, OperationKind::fault, step_value, 0, 0,
                    static_cast<std::uint16_t>(count)});
  return chosen;
}

// Which kinds this execution has.
bool NodesWorld::draw_swarm(Strategy& strategy) {
  std::vector<FaultKind> kinds;
  for (std::size_t i = 0; i < fault_kinds; ++i) {
    if (left_[static_cast<FaultKind>(i)] > 0) kinds.push_back(static_cast<FaultKind>(i));
  }
  const std::size_t chosen = ask_injector(strategy, std::size_t{1} << kinds.size());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if ((chosen >> i & 1) != 0) left_[kinds[i]] = 0;
  }
  show_budgets();
  return stop_ == Stop::none;
}

void NodesWorld::inject(Strategy& strategy, TaskId task, std::uint32_t options) {
  trace_.push_back({0, objects::links, 0, task, OperationKind::fault, 0, 0, 0,
                    static_cast<std::uint16_t>(options)});
  std::vector<std::size_t> first_of_kind;
  for (std::size_t i = 0; i < faults_.size(); ++i) {
    if (i == 0 || !faults_[i].is_like(faults_[i - 1])) first_of_kind.push_back(i);
  }
  const std::optional<std::size_t> planned = std::exchange(planned_fault_, std::nullopt);
  std::optional<std::size_t> planned_kind, planned_target;
  if (planned) {
    const auto behind = std::upper_bound(first_of_kind.begin(), first_of_kind.end(), *planned);
    planned_kind = static_cast<std::size_t>(behind - first_of_kind.begin()) - 1;
    planned_target = *planned - *std::prev(behind);
  }
  const std::size_t kind = ask_injector(strategy, first_of_kind.size(), {}, planned_kind);
  if (stop_ != Stop::none) return;
  const std::size_t first = first_of_kind[kind];
  const std::size_t end =
      kind + 1 < first_of_kind.size() ? first_of_kind[kind + 1] : faults_.size();
  std::vector<std::uint32_t> targets;
  for (std::size_t i = first; i < end; ++i) targets.push_back(node_of(faults_[i]));
  const std::size_t which = ask_injector(strategy, end - first, targets, planned_target);
  if (stop_ == Stop::none) happen(strategy, faults_[first + which]);
}

// Whom it hits: the node itself, or who has sent what it hits.
std::uint32_t NodesWorld::node_of(const Fault& fault) const {
  switch (fault.kind) {
    case FaultKind::drop:
    case FaultKind::duplicate:
    case FaultKind::reorder:
    case FaultKind::delay:
      return cluster_.network().link(fault.target).from;
    case FaultKind::partition:
      return fault.target == all_nodes ? no_node : fault.target / max_nodes;
    case FaultKind::skew:
      return fault.target / skew_count;
    case FaultKind::crash:
    case FaultKind::restart:
    case FaultKind::disk:
    case FaultKind::cut_short:
      break;
  }
  return fault.target;
}

void NodesWorld::happen(Strategy& strategy, const Fault& fault) {
  has_gone_wrong_ = true;
  if (fault.what == Fault::all_end) return heal_all(strategy);
  if (fault.what == Fault::ends) return reconnect();
  --left_[fault.kind];
  if (records_) tell_of_fault(fault);
  Network& network = cluster_.network();
  switch (fault.kind) {
    case FaultKind::drop:
      return network.drop(fault.target);
    case FaultKind::duplicate:
      return network.duplicate(fault.target);
    case FaultKind::reorder:
      return network.reorder(fault.target);
    case FaultKind::delay:
      return network.hold(fault.target);
    case FaultKind::partition:
      return cut_off(strategy, fault.target);
    case FaultKind::crash:
      crash(fault.target);
      pass_on_changes(strategy);  // it has let go of its locks
      return;
    case FaultKind::restart:
      return restart(strategy, fault.target);
    case FaultKind::skew:
      return skew(fault.target / skew_count, skews[fault.target % skew_count]);
    case FaultKind::disk:
    case FaultKind::cut_short:
      fail_call(fault);
  }
}

void NodesWorld::skew(std::uint32_t node, std::int64_t nanoseconds) {
  cluster_.slot(node).skew += nanoseconds;
  note(ActKind::fault, node,
       "HAS ITS DATE MOVED BY " + std::to_string(nanoseconds / second) + " SECONDS");
}

void NodesWorld::cut_off(Strategy& strategy, std::uint32_t target) {
  if (target == all_nodes) return split(strategy);
  const std::uint32_t from = target / max_nodes, to = target % max_nodes;
  cluster_.network().cut(from, to);
  note(ActKind::fault, to, "DOES NOT HEAR " + cluster_.plan(from).name + " ANY MORE");
}

// The first node is on one side, and each of the others on one of both; clients reach both sides.
// Where all would be on one side, the last one is alone.
void NodesWorld::split(Strategy& strategy) {
  std::vector<std::uint32_t> here, there;
  for (std::uint32_t i = 0; i < cluster_.size() && stop_ == Stop::none; ++i) {
    if (cluster_.plan(i).is_client) continue;
    const bool is_first = here.empty() && there.empty();
    (is_first || ask_injector(strategy, 2) == 0 ? here : there).push_back(i);
  }
  if (there.empty() && !here.empty()) {
    there.push_back(here.back());
    here.pop_back();
  }
  for (const std::uint32_t one : here) {
    for (const std::uint32_t other : there) {
      cluster_.network().cut(one, other);
      cluster_.network().cut(other, one);
    }
  }
  std::string names;
  for (const std::uint32_t one : here)
    names += (names.empty() ? "" : ", ") + cluster_.plan(one).name;
  for (const std::uint32_t other : there) {
    note(ActKind::fault, other, "IS CUT OFF FROM " + names);
  }
}

void NodesWorld::reconnect() {
  Network& network = cluster_.network();
  for (std::uint32_t i = 0; records_ && i < cluster_.size(); ++i) {
    for (std::uint32_t from = 0; from < cluster_.size(); ++from) {
      if (!network.is_cut(from, i)) continue;
      note(ActKind::fault, i, "HEARS " + cluster_.plan(from).name + " AGAIN");
    }
  }
  network.heal();
}

void NodesWorld::restart(Strategy& strategy, std::uint32_t node) {
  lose_unsynced(strategy, node);
  if (stop_ != Stop::none) return;
  nodes_[node] = {};
  if (cluster_.slot(node).left_damage) cluster_.renew(node);
  ++cluster_.slot(node).lives;
  tell(strategy, node, NodeOrder::run);
}

// --- The second phase ---

// From here on nothing goes wrong, and all take turns.
void NodesWorld::heal_all(Strategy& strategy) {
  is_healed_ = control_.cluster.was_fair = true;
  healed_at_ = trace_.size();
  left_ = {};
  show_budgets();
  note(ActKind::fault, 0, "FROM HERE ON NOTHING GOES WRONG ANY MORE, AND ALL TAKE TURNS");
  reconnect();
  cluster_.network().release_all();
  for (std::uint32_t i = 0; i < cluster_.size() && stop_ == Stop::none; ++i) {
    if (!nodes_[i].has_crashed) continue;
    note(ActKind::fault, i, "STARTS AGAIN");
    restart(strategy, i);
  }
}

void NodesWorld::demand_progress() {
  const std::uint32_t within = cluster_.plan().progress;
  if (trace_.size() - healed_at_ < within) return;
  std::string who;
  std::uint32_t first = no_node;
  for (std::uint32_t i = 0; i < cluster_.size(); ++i) {
    if (nodes_[i].post == NodePost::ended) continue;
    if (server_count() < cluster_.size() && !cluster_.plan(i).is_client) continue;
    if (first == no_node) first = i;
    who += (who.empty() ? "" : ", ") + cluster_.plan(i).name;
  }
  fail(OutcomeKind::livelock, first,
       "no end within " + std::to_string(within) +
           " steps in which nothing went wrong and all took turns: " + who);
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
