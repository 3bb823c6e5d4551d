// Best-first search (Coons, Burckhardt, Musuvathi, GAMBIT: Effective Unit Testing for Concurrency
// Libraries, PPoPP 2010). An execution that has been run tells which other ones there are: those
// that differ from it in one decision and behave by default afterwards. They wait in the fringe, by
// priority, and among equals the newest one comes first. Nothing is run twice, and in the end
// everything in the space has been run, so a priority costs no guarantee.
//
// The spaces: `all` executions; those with a bounded number of preemptions, `pb=N`; and `dpor`, in
// which a decision is added only if it reverses a race that none of the decisions known at that
// point would reverse (source sets, without sleep sets: these depend on the order of the search).
#include <charconv>
#include <tuple>
#include <unordered_set>

#include "base/error.h"
#include "base/no_index.h"
#include "base/random.h"
#include "strategy/decision_stack.h"
#include "strategy/estimate.h"
#include "strategy/execution_tree.h"
#include "strategy/fringe.h"
#include "strategy/happens_before.h"
#include "strategy/hapset/events.h"
#include "strategy/priority.h"
#include "strategy/reversal.h"
#include "strategy/step_limit.h"
#include "strategy/strategies.h"

namespace ricercar {
namespace {

struct Space {
  bool reduces = false;
  std::uint64_t bound = ~std::uint64_t{0};
};

Space space_of(const std::string& text) {
  if (text == "dpor") return {true, ~std::uint64_t{0}};
  if (text == "all") return {};
  Space space;
  const char* end = text.data() + text.size();
  if (text.starts_with("pb=")) {
    const auto result = std::from_chars(text.data() + 3, end, space.bound);
    if (result.ec == std::errc() && result.ptr == end) return space;
  }
  throw UsageError("there is no space '" + text + "': space=dpor, space=all and space=pb=N are");
}

class BestFirstStrategy final : public Strategy {
 public:
  explicit BestFirstStrategy(const Parameters& parameters)
      : space_text_(parameters.text("space")),
        space_(space_of(space_text_)),
        priorities_(parameters.text("priority"), parameters.seed, parameters.resources.priorities),
        statements_(priorities_.statements()),
        tree_(space_.reduces),
        analyses_(space_.reduces || priorities_.need_order()),
        fringe_(parameters.resources.memory, parameters.resources.file) {
    if (statements_) events_.emplace(*statements_);
  }

  // What an earlier search has learned.
  void learn(const LearnedSets& learned) {
    if (statements_) give(learned, statements_->sets());
  }

  bool begin() override {
    if (finished_) return false;
    points_.clear();
    next_deviation_ = 0;
    preemptions_ = 0;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    Point here{static_cast<std::uint32_t>(point.step),
               preemptions_,
               point.options.size(),
               0,
               0,
               nobody,
               point.kind == ChoiceKind::value,
               {}};
    std::uint32_t option = default_option(point);
    here.by_default = choice_of(point, option);
    if (!here.is_value) {
      if (point.running != no_task) here.running = static_cast<std::uint16_t>(index(point.running));
      point.options.for_each([&](const Option& other, std::uint32_t) {
        here.enabled.push_back(static_cast<std::uint16_t>(index(other.task)));
      });
    }
    here.chosen = here.by_default;
    if (next_deviation_ < path_.size() &&
        tree_[path_[next_deviation_]].depth == points_.size() + 1) {
      here.chosen = tree_[path_[next_deviation_++]].choice;
      option = option_of(point, here);
    }
    preemptions_ += cost(here, here.chosen);
    points_.push_back(std::move(here));
    return option;
  }

  bool wants_late_deadlocks() const override { return true; }
  void left(Trace pending) override { left_.assign(pending.begin(), pending.end()); }
  bool wants_heap() const override { return space_.reduces; }
  void used_heap(HeapTrace heap) override { order_.set_heap(heap); }
  CallContexts* contexts() override { return statements_ ? &statements_->contexts() : nullptr; }
  void called_from(std::span<const ContextId> steps, std::span<const ContextId> left) override {
    contexts_ = steps;
    left_contexts_ = left;
  }
  const PredecessorSets* sets() const override {
    return statements_ ? &statements_->sets() : nullptr;
  }

  bool restart() override {
    tree_ = ExecutionTree(space_.reduces);
    fringe_.clear();
    waiting_.clear();
    path_.clear();
    explored_ = 0;
    executions_ = 0;
    at_limit_ = 0;
    traces_.clear();
    finished_ = false;
    return true;
  }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    if (next_deviation_ < path_.size() && !trace.empty()) {
      throw Nondeterminism(trace.size(), 2, 1);
    }
    trace_ = trace;
    is_at_limit_ = is_cut_at_limit(trace, left_, outcome);
    if (is_at_limit_) ++at_limit_;
    priorities_.begin(trace, left_);
    if (statements_) learn(!outcome.is_bug());
    if (analyses_) analyse();
    find_values();
    if (space_.reduces) {
      find_reversals();
      const bool exits =
          !order_.slots().empty() && trace[order_.slots().back().step].kind == OperationKind::exit;
      const bool ends_early = is_at_limit_ || outcome.is_bug() || exits;
      if (!left_.empty() && ends_early) give_others_a_turn(last_slot());
      if (is_at_limit_) give_others_a_turn(last_block(order_));
    } else {
      find_all();
    }
    order_.set_heap({});
    left_.clear();
    if (space_.reduces && !trace.empty()) traces_.insert(trace_number());
    if (!space_.reduces) explored_ += share_of_space();
    tree_.finish(current());
    next();
  }

  Coverage coverage() const override {
    const std::string count = std::to_string(executions_);
    if (space_.reduces && at_limit_ != 0) {
      return {false, limited_text("executions, reduced, best first", executions_, at_limit_)};
    }
    if (finished_ && space_.reduces) {
      return {true, "every Mazurkiewicz trace: " + std::to_string(traces_.size()) + ", in " +
                        count + " executions"};
    }
    if (finished_) return {true, promise() + ": " + count};
    const std::uint64_t bytes = tree_.bytes() + fringe_.size() * sizeof(Fringe::Item);
    return {false, "executions, best first: " + count + "; " + std::to_string(fringe_.size()) +
                       " more are known and wait (a tree of " + std::to_string(tree_.size()) +
                       " nodes; " + std::to_string(bytes) + " bytes with what waits)"};
  }

  std::string progress() const override {
    std::string text = std::to_string(fringe_.size()) + " known executions wait";
    if (fringe_.size_on_disk() != 0) {
      text += ", " + std::to_string(fringe_.size_on_disk()) + " of them on disk";
    }
    const std::string estimate = estimate_text(executions_, explored_, "executions");
    return estimate.empty() ? text : text + ", " + estimate;
  }

 private:
  static constexpr std::uint16_t nobody = 0xffff;

  struct Point {
    std::uint32_t step;
    std::uint32_t preemptions;  // before it
    std::uint32_t options;
    std::uint16_t by_default;
    std::uint16_t chosen;  // tasks, or alternatives
    std::uint16_t running;
    bool is_value;
    std::vector<std::uint16_t> enabled;
  };

  std::string promise() const {
    if (space_text_ == "all") return "every execution";
    const std::uint64_t bound = space_.bound;
    return "every execution with at most " + std::to_string(bound) +
           (bound == 1 ? " preemption" : " preemptions");
  }

  static std::uint16_t choice_of(const ChoicePoint& point, std::uint32_t option) {
    if (point.kind == ChoiceKind::value) return static_cast<std::uint16_t>(option);
    return static_cast<std::uint16_t>(index(point.options.task(option)));
  }

  static std::uint32_t option_of(const ChoicePoint& point, const Point& here) {
    const bool possible =
        here.is_value ? here.chosen < here.options : point.options.contains(task_id(here.chosen));
    if (!possible) throw Nondeterminism(point.step, here.chosen + 1U, point.options.size());
    return here.is_value ? here.chosen : point.options.position(task_id(here.chosen));
  }

  static std::uint32_t cost(const Point& point, std::uint16_t choice) {
    return !point.is_value && point.running != nobody && choice != point.running ? 1 : 0;
  }

  // The part of the space that this execution is, if at every point each decision leads to equally
  // much: the probability of the execution, for an estimate as Knuth's (Mathematics of Computation
  // 29, 1975). The space of the reduction has no such shape.
  double share_of_space() const {
    double share = 1;
    for (const Point& point : points_) {
      const bool is_free = point.running == nobody || point.preemptions < space_.bound;
      if (is_free) share /= point.options;
    }
    return share;
  }

  std::uint32_t current() const { return path_.empty() ? ExecutionTree::root : path_.back(); }
  std::uint32_t first_new() const { return tree_[current()].depth; }

  // --- What the execution tells ---

  void learn(bool is_good) {
    statements_->sets().begin_execution();
    events_->rewind(0);
    events_->extend(trace_, contexts_, is_good);
    events_->add_left(left_, left_contexts_);
  }

  void analyse() {
    order_.rewind(0);
    races_.clear();
    order_.extend(trace_, races_);
    for (const Step& step : left_) {
      order_.add_blocked(step, races_);
      if (is_at_limit_) order_.add_pending(step, races_);
    }
    reversals_.clear();
    for (const HappensBefore::Race& race : races_) {
      const std::uint32_t at = point_of(race.first);
      if (at == no_index) continue;
      reversal_.begin(race);
      reversals_.push_back({at, reversal_[0].task, reversal_[0].task == index(race.task),
                            statements_ ? pair_of(race) : std::nullopt});
    }
    std::sort(reversals_.begin(), reversals_.end());
    fill_pasts();
  }

  // What the reversal of a race would show; nothing if it is known.
  std::optional<PredecessorSets::Pair> pair_of(const HappensBefore::Race& race) const {
    const std::optional<PredecessorSets::Pair> pair = events_->turned_around(order_, race, left_);
    if (!pair || statements_->sets().contains(*pair)) return std::nullopt;
    statements_->sets().add_possible(*pair);
    return pair;
  }

  std::uint32_t point_of(std::uint32_t slot) const {
    const std::uint32_t step = order_.slots()[slot].step;
    const auto found =
        std::lower_bound(points_.begin(), points_.end(), step,
                         [](const Point& point, std::uint32_t at) { return point.step < at; });
    if (found == points_.end() || found->step != step || found->is_value) return no_index;
    return static_cast<std::uint32_t>(found - points_.begin());
  }

  // A number for the happens-before relation up to each slot: the sum over the slots of a number
  // for each slot's task, place and past, so without their order.
  void fill_pasts() {
    const std::vector<HappensBefore::Slot>& slots = order_.slots();
    pasts_.assign(slots.size() + 1, 0);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      std::uint64_t number = mix64(std::uint64_t{index(slots[i].task)} << 32 | slots[i].number);
      for (std::uint32_t task = 0; task < order_.task_count(); ++task) {
        number = mix64(number ^ order_.in_clock(slots[i].clock, task));
      }
      pasts_[i + 1] = pasts_[i] + number;
    }
  }

  // A trace is its happens-before relation, and the values that were taken.
  std::uint64_t trace_number() const {
    std::uint64_t number = pasts_.back();
    for (const Point& point : points_) {
      if (!point.is_value) continue;
      const Step& step = trace_[point.step];
      const std::vector<std::uint32_t>& own = order_.slots_of(index(step.task));
      const auto before = std::partition_point(own.begin(), own.end(), [&](std::uint32_t slot) {
        return order_.slots()[slot].step < point.step;
      });
      const auto place = static_cast<std::uint64_t>(before - own.begin());
      number += mix64(mix64(point.chosen + (place << 16)) ^ index(step.task));
    }
    return number;
  }

  // What the task does next commutes with every slot from `slot` up to there.
  bool commutes(std::uint32_t slot, std::uint16_t task) const {
    if (task >= order_.task_count()) return false;
    const std::vector<std::uint32_t>& own = order_.slots_of(task);
    const auto next = std::lower_bound(own.begin(), own.end(), slot);
    if (next == own.end()) return false;
    const HappensBefore::Slot& wanted = order_.slots()[*next];
    for (std::uint32_t i = slot; i < *next; ++i) {
      if (order_.slots()[i].footprint.depends_on(wanted.footprint)) return false;
    }
    return true;
  }

  void add(std::uint32_t at, std::uint16_t choice) {
    const Point& point = points_[at];
    const std::uint32_t depth = at + 1;
    if (choice == point.by_default || choice == point.chosen) return;
    const std::uint32_t parent = owner_of(depth);
    if (tree_.contains(parent, depth, choice)) return;
    const std::uint32_t preemptions = point.preemptions + cost(point, choice);
    if (preemptions > space_.bound) return;
    tree_.expect_child(parent);
    // Where a decision could be found again, or its priority may change, its node is made at once,
    // to know it by.
    const bool at_once = space_.reduces || statements_;
    const Fringe::Item item = at_once ? Fringe::Item{tree_.add(parent, depth, choice), 0, 0}
                                      : Fringe::Item{parent, depth, choice};
    const std::uint64_t priority = priority_of(at, choice, preemptions);
    if (statements_ && new_pair_) waiting_[item.node] = {priority, *new_pair_};
    fringe_.push(priority, item);
  }

  std::uint64_t priority_of(std::uint32_t at, std::uint16_t choice, std::uint32_t preemptions) {
    const Point& point = points_[at];
    Candidate candidate{trace_, point.step, task_id(choice), preemptions, false, false, false,
                        0,      false};
    new_pair_.reset();
    if (point.is_value) candidate.task = trace_[point.step].task;
    if (analyses_ && !point.is_value) {
      const auto found = std::lower_bound(reversals_.begin(), reversals_.end(),
                                          Reversed{at, choice, false, std::nullopt});
      for (auto i = found; i != reversals_.end() && i->point == at && i->task == choice; ++i) {
        candidate.reverses_race = true;
        candidate.is_direct = candidate.is_direct || i->is_direct;
        if (i->pair) new_pair_ = i->pair;
      }
      candidate.shows_new = new_pair_.has_value();
      const std::uint32_t slot = order_.slot_at(point.step);
      candidate.commutes = commutes(slot, choice);
      candidate.past = pasts_[slot];
    }
    return priorities_.of(candidate);
  }

  // The execution whose own part a point belongs to: the last one on the path that differs before.
  std::uint32_t owner_of(std::uint32_t depth) const {
    std::uint32_t owner = ExecutionTree::root;
    for (const std::uint32_t node : path_) {
      if (tree_[node].depth >= depth) break;
      owner = node;
    }
    return owner;
  }

  void find_values() {
    for (std::uint32_t at = first_new(); at < points_.size(); ++at) {
      if (!points_[at].is_value) continue;
      for (std::uint32_t i = 0; i < points_[at].options; ++i) {
        add(at, static_cast<std::uint16_t>(i));
      }
    }
  }

  void find_all() {
    for (std::uint32_t at = first_new(); at < points_.size(); ++at) {
      for (const std::uint16_t task : points_[at].enabled) add(at, task);
    }
  }

  void find_reversals() {
    const std::uint32_t start =
        current() == ExecutionTree::root ? 0 : points_[first_new() - 1].step;
    for (const HappensBefore::Race& race : races_) {
      if (race.second != no_index && order_.slots()[race.second].step < start) continue;
      const std::uint32_t at = point_of(race.first);
      if (at == no_index) continue;
      reversal_.begin(race);
      if (!is_covered(at)) add_if_enabled(at, reversal_[0].task);
    }
  }

  // Some decision that is known at the point begins the reversal as well.
  bool is_covered(std::uint32_t at) {
    const Point& point = points_[at];
    const std::uint32_t owner = owner_of(at + 1);
    for (std::size_t i = 0; i < reversal_.size(); ++i) {
      const std::uint16_t task = reversal_[i].task;
      const bool known = task == point.by_default || tree_.contains(owner, at + 1, task);
      if (known && reversal_.first_of(task) == i && reversal_.is_initial(reversal_[i])) return true;
    }
    return false;
  }

  void add_if_enabled(std::uint32_t at, std::uint16_t task) {
    const std::vector<std::uint16_t>& enabled = points_[at].enabled;
    if (std::find(enabled.begin(), enabled.end(), task) != enabled.end()) add(at, task);
  }

  std::uint32_t last_slot() const { return static_cast<std::uint32_t>(order_.slots().size() - 1); }

  // A step that ends the execution depends on everything.
  void give_others_a_turn(std::uint32_t slot) {
    const std::uint32_t at = point_of(slot);
    if (at == no_index) return;
    for (const std::uint16_t task : points_[at].enabled) add(at, task);
  }

  void next() {
    if (fringe_.empty()) {
      finished_ = true;
      return;
    }
    const Fringe::Item item = pop();
    std::uint32_t node =
        item.depth == 0 ? item.node : tree_.add(item.node, item.depth, item.choice);
    path_.clear();
    for (; node != ExecutionTree::root; node = tree_[node].parent) path_.push_back(node);
    std::reverse(path_.begin(), path_.end());
  }

  // What would have shown something new may have become known while it waited: then it waits on.
  Fringe::Item pop() {
    while (true) {
      const Fringe::Item item = fringe_.pop();
      const auto found = waiting_.find(item.node);
      if (item.depth != 0 || found == waiting_.end()) return item;
      const Waiting waiting = found->second;
      waiting_.erase(found);
      if (!statements_->sets().contains(waiting.pair)) return item;
      fringe_.push(priorities_.of_known(waiting.priority), item);
    }
  }

  struct Reversed {
    std::uint32_t point;
    std::uint16_t task;
    bool is_direct;
    std::optional<PredecessorSets::Pair> pair;  // that would be new

    bool operator<(const Reversed& other) const {
      return std::tie(point, task, is_direct) < std::tie(other.point, other.task, other.is_direct);
    }
  };

  struct Waiting {
    std::uint64_t priority;
    PredecessorSets::Pair pair;
  };

  const std::string space_text_;
  const Space space_;
  Priorities priorities_;
  const std::shared_ptr<Statements> statements_;  // of the priorities; may be null
  ExecutionTree tree_;
  const bool analyses_;
  Fringe fringe_;
  std::uint64_t executions_ = 0;
  std::uint64_t at_limit_ = 0;                // executions that were cut at the step limit
  bool is_at_limit_ = false;                  // the last one was
  std::unordered_set<std::uint64_t> traces_;  // in the space of the reduction: that have been run
  double explored_ = 0;                       // the part of the space that has been run; 0: unknown
  bool finished_ = false;

  // The current execution.
  std::vector<std::uint32_t> path_;  // its node and the nodes above it, from the top
  std::size_t next_deviation_ = 0;
  std::uint32_t preemptions_ = 0;
  std::vector<Point> points_;
  std::vector<Step> left_;
  Trace trace_;
  HappensBefore order_;
  Reversal reversal_{order_};
  std::vector<HappensBefore::Race> races_;
  std::vector<Reversed> reversals_;  // the decisions that reverse a race, sorted
  std::optional<RunEvents> events_;  // if there are statements
  std::span<const ContextId> contexts_;
  std::span<const ContextId> left_contexts_;
  std::optional<PredecessorSets::Pair> new_pair_;       // of the last candidate
  std::unordered_map<std::uint32_t, Waiting> waiting_;  // by node: what shows something new
  std::vector<std::uint64_t> pasts_;
};

}  // namespace

std::unique_ptr<Strategy> make_unpruned_hapset(const Parameters& parameters,
                                               const std::string& space,
                                               const std::shared_ptr<Statements>& statements) {
  Parameters own = parameters;
  own.values = {{"space", space}, {"priority", "hapset+pb"}};
  own.resources.priorities.statements = statements;
  return std::make_unique<BestFirstStrategy>(own);
}

std::unique_ptr<Strategy> make_bestfirst(const Parameters& parameters) {
  auto strategy = std::make_unique<BestFirstStrategy>(parameters);
  strategy->learn(parameters.resources.learned);
  return strategy;
}

}  // namespace ricercar
