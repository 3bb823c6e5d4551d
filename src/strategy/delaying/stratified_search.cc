#include "strategy/delaying/stratified_search.h"

#include <utility>

#include "base/error.h"
#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

// At states with one task nothing is decided, but a value may be chosen right behind: there a state
// is saved now and then.
constexpr std::uint32_t longest_repetition = 16;

}  // namespace

StratifiedSearch::StratifiedSearch(std::unique_ptr<Guide> guide, StratifiedOptions options)
    : start_(std::move(guide)), plan_(std::make_shared<StratifiedPlan>(std::move(options))) {
  if (plan_->options().cycles) graph_ = std::make_unique<StateGraph>();
}

// --- Items ---

bool StratifiedSearch::begin() {
  if (following()) {
    throw Nondeterminism(todo_[followed_].depth, item_.options, 0);
  }
  if (graph_ && plan_->is_between_strata() && set_out_for_cycle()) return true;
  if (!again_) {
    const bool more = is_shared_ ? plan_->take_shared(item_, number_) : plan_->take(item_);
    if (!more) return false;
  }
  set_out();
  return true;
}

void StratifiedSearch::set_out() {
  new_place_ = nullptr;
  node_.reset();
  place_ = item_.place.get();
  at_origin_ = place_ != nullptr;
  points_ = place_ ? place_->point : 0;
  guide_ = nullptr;
  taken_ = 0;
  if (!place_ || place_->options == 0 || plan_->options().reduce) guide();
  states_since_place_ = 0;
  todo_.assign(item_.before.begin(), item_.before.end());
  if (item_.last.chosen != 0) todo_.push_back(item_.last);
  followed_ = 0;
  beyond_ = false;
  sleep_.assign(item_.asleep ? std::span<const Sleeper>(item_.asleep->sleep)
                             : std::span<const Sleeper>());
  explores_all_ = true;
  chosen_ = only_ = no_task;
  behind_ = no_item;
}

// As it is now. Most items lead to a known state at once and never need it.
Guide& StratifiedSearch::guide() {
  if (guide_) return *guide_;
  guide_ = place_ ? place_->guide->copy() : start_->copy();
  if (!place_) return *guide_;
  guide_->resume();
  if (points_ > place_->point) guide_->take(taken_);
  return *guide_;
}

const SavedState* StratifiedSearch::origin() const {
  if (!cycle_.empty()) return nullptr;
  return item_.place ? item_.place->saved.get() : nullptr;
}

void StratifiedSearch::end(Trace, const Outcome& outcome) {
  if (!cycle_.empty()) {
    if (!outcome.is_bug()) ++cycles_not_seen_;
    cycle_.clear();
    return;
  }
  new_place_ = nullptr;
  place_ = nullptr;
  if (!is_shared_) {
    if (beyond_) plan_->note_beyond();
    plan_->leave_items(alternatives_);
    return;
  }
  // Who runs an item again has added what it found already, and nobody else could.
  if (std::exchange(again_, false)) {
    plan_->commit(number_, {}, alternatives_, beyond_);
  } else {
    again_ = !plan_->commit(number_, visited_, alternatives_, beyond_);
  }
  has_turn_ = !again_;
  alternatives_.clear();
  visited_.clear();
  path_.clear();
}

bool StratifiedSearch::counts() {
  if (again_) return false;
  if (std::exchange(has_turn_, false)) plan_->pass(number_);
  return true;
}

void StratifiedSearch::leave() {
  if (is_shared_) plan_->give_up();
}

// Only if what an item leaves never belongs to its own stratum, the order of the items is known
// before they are run.
std::unique_ptr<Strategy> StratifiedSearch::partner() {
  const StratifiedOptions& options = plan_->options();
  if (options.step != 1 || options.unit != Stratum::Unit::delays || options.reduce || graph_ ||
      options.when_full == StateCache::WhenFull::replace) {
    return nullptr;
  }
  is_shared_ = true;
  plan_->share();
  return std::unique_ptr<Strategy>(new StratifiedSearch(start_, plan_));
}

// --- States ---

bool StratifiedSearch::visit(const State& state) {
  if (!cycle_.empty()) {
    cycle_values_ = 0;
    return ++cycle_states_ <= cycle_.size();
  }
  if (graph_) note(state);
  if (plan_->options().reduce) fall_asleep(state);
  if (std::exchange(at_origin_, false)) return true;
  const bool exact = plan_->options().exact;
  if (exact) guide().enter(state);
  if (!following() && !is_new(state)) return false;
  if (!exact) guide().enter(state);
  save_place(state);
  return true;
}

Fingerprint StratifiedSearch::key_of(const State& state) const {
  const Fingerprint key = state.fingerprint;
  if (!plan_->options().exact) return key;
  const std::uint64_t identity = guide_->identity();
  if (identity == 0) {
    throw UsageError(
        "exact=yes needs an explorer that can tell its own states apart: identity() returned 0");
  }
  return {mix64(key.low ^ identity), mix64(key.high + identity)};
}

bool StratifiedSearch::is_new(const State& state) {
  const VisitedState visited{key_of(state), state.fingerprint, alternatives_.size()};
  if (!is_shared_ || again_) {
    const bool added = plan_->add(visited);
    return plan_->options().reduce ? meet(state, visited.key, added) : added;
  }
  if (plan_->knows(visited.key) || !path_.insert(visited.key).second) return false;
  visited_.push_back(visited);
  return true;
}

void StratifiedSearch::save_place(const State& state) {
  ++states_since_place_;
  if (state.keeper == nullptr) return;
  // On the way to an item's own state, only that one is of use.
  if (following() && todo_.back().depth != points_) return;
  if (state.enabled.size() < 2 && place_ && states_since_place_ < longest_repetition) return;
  auto place = std::make_shared<ReturnPlace>();
  place->saved = state.keeper->save();
  place->guide = guide().copy();
  place->point = points_;
  place->options = guide().order(place->order, ReturnPlace::most_options);
  if (place_) place->deviations = place_->deviations;
  for (const Deviation& deviation : todo_) {
    if (deviation.depth >= (place_ ? place_->point : 0) && deviation.depth < points_) {
      place->deviations.push_back(deviation);
    }
  }
  new_place_ = std::move(place);
  place_ = new_place_.get();
  states_since_place_ = 0;
}

// --- Choices ---

std::uint32_t StratifiedSearch::alternative_at(const ChoicePoint& point, std::uint32_t index) {
  if (!following() || todo_[followed_].depth != index) return 0;
  const std::uint32_t alternative = todo_[followed_++].chosen;
  const bool is_last = !following();
  const std::uint32_t options = point.options.size();
  if (alternative >= options || (is_last && options != item_.options)) {
    throw Nondeterminism(point.step, is_last ? item_.options : alternative + 1, options);
  }
  return alternative;
}

std::size_t StratifiedSearch::choose(const ChoicePoint& point) {
  if (!cycle_.empty()) return follow_cycle(point);
  const std::uint32_t index = points_++;
  const std::uint32_t alternative = alternative_at(point, index);
  const bool is_schedule = point.kind == ChoiceKind::schedule;
  if (plan_->options().reduce && is_schedule) {
    if (!following()) return choose_awake(point, index, alternative);
    const std::uint32_t option = guide_->option(point, alternative);
    chosen_ = point.options.task(option);
    return option;
  }
  // One item stands for all other values.
  const bool leaves = is_schedule ? alternative + 1 < point.options.size() : alternative == 0;
  if (!following() && leaves) push_next(point, index, alternative, alternative + 1);
  const std::uint32_t option = option_at(point, alternative);
  if (graph_) learn(point, option);
  return option;
}

std::uint32_t StratifiedSearch::option_at(const ChoicePoint& point, std::uint32_t alternative) {
  const bool is_value = point.kind == ChoiceKind::value;
  if (is_value && place_ && place_->guide->orders_values()) guide();
  if (guide_) return guide_->option(point, alternative);
  if (is_value) return alternative;
  taken_ = alternative;
  return point.options.position(task_id(place_->order[alternative]));
}

std::uint64_t StratifiedSearch::extra_cost(const ChoicePoint& point, std::uint32_t alternative,
                                           std::uint32_t next) {
  if (!guide_) return next - alternative;
  return guide_->cost(point, next) - guide_->cost(point, alternative);
}

// The item for another alternative of the same point, of which the current execution has taken
// `alternative`.
void StratifiedSearch::push_next(const ChoicePoint& point, std::uint32_t index,
                                 std::uint32_t alternative, std::uint32_t next) {
  const std::uint64_t cost = item_.cost + extra_cost(point, alternative, next);
  if (cost > plan_->options().bound) {
    beyond_ = true;
    return;
  }
  SearchItem& item = alternatives_.emplace_back();
  item.place = new_place_ ? new_place_ : item_.place;
  for (const Deviation& deviation : todo_) {
    if (deviation.depth >= (place_ ? place_->point : 0) && deviation.depth < index) {
      item.before.push_back(deviation);
    }
  }
  item.last = {index, next};
  item.options = point.options.size();
  item.is_value = point.kind == ChoiceKind::value;
  item.cost = cost;
  if (!plan_->options().reduce) return;
  item.asleep = std::make_shared<Sleepers>(Sleepers{sleep_.all(), {}});
  if (!explores_all_) item.asleep->only = explores_;
}

// --- Cycles ---

bool StratifiedSearch::set_out_for_cycle() {
  if (std::exchange(looked_at_, graph_->steps()) == graph_->steps() && !has_more_cycles_)
    return false;
  cycle_ = graph_->next_cycle();
  has_more_cycles_ = !cycle_.empty();
  cycle_states_ = 0;
  return has_more_cycles_;
}

// The step from the last state to this one is over. What comes before the item's own decision is
// known.
void StratifiedSearch::note(const State& state) {
  const StateGraph::Node here = graph_->add(state);
  if (node_ && !following()) {
    if (only_enabled_ != no_task) decided_.task = static_cast<std::uint16_t>(index(only_enabled_));
    graph_->add_step(*node_, here, decided_, state);
  }
  node_ = here;
  decided_ = {};
  only_enabled_ = state.enabled.size() == 1 ? state.enabled.first() : no_task;
}

void StratifiedSearch::learn(const ChoicePoint& point, std::uint32_t option) {
  if (point.kind == ChoiceKind::value) {
    decided_.values.push_back(option);
  } else {
    decided_.task = static_cast<std::uint16_t>(index(point.options.task(option)));
  }
}

// Where the program does not do what it did before, as with machines that stand for each other, the
// execution ends: nothing was found.
std::size_t StratifiedSearch::follow_cycle(const ChoicePoint& point) {
  const DecidedStep& step = cycle_[cycle_states_ - 1];
  if (point.kind == ChoiceKind::schedule) {
    const TaskId task = task_id(step.task);
    return point.options.contains(task) ? point.options.position(task) : cut;
  }
  if (cycle_values_ == step.values.size()) return cut;
  const std::uint32_t value = step.values[cycle_values_++];
  return value < point.options.size() ? value : cut;
}

Coverage StratifiedSearch::coverage() const {
  Coverage result = plan_->coverage();
  if (!graph_ || !result.complete) return result;
  if (cycles_not_seen_ == 0) {
    result.text += "; no fair cycle through hot states among them but those that were found";
  } else {
    result.text += "; " + std::to_string(cycles_not_seen_) +
                   " cycles through hot states could not be run again, as machines stand for each "
                   "other";
  }
  return result;
}

// --- Sleep sets ---
//
// With a state the cache keeps who was asleep when it was met. Who sleeps there at every visit need
// not run from there; who is awake at a later one has to, and only those. What a task does is known
// when it has done it, so it goes to sleep in the item behind its own then, and only if no value
// was chosen on the way, which could have made it do something else.

// The step from the last state to this one is over.
void StratifiedSearch::fall_asleep(const State& state) {
  if (following() || at_origin_) {
    if (item_.asleep) sleep_.assign(item_.asleep->sleep);
    explores_ = item_.asleep ? item_.asleep->only : TaskSet();
    explores_all_ = explores_.empty();
  }
  const TaskId ran = chosen_ != no_task ? chosen_ : only_;
  if (ran != no_task && !following()) {
    Footprint footprint;
    bool has_value = false;
    for (const Step& step : state.trace.subspan(slot_)) {
      footprint.add(step, is_decided(step));
      has_value = has_value || (step.flags & step_value) != 0;
    }
    const auto task = static_cast<std::uint16_t>(ran);
    if (behind_ != no_item && !has_value)
      alternatives_[behind_].asleep->sleep.push_back({task, footprint});
    sleep_.wake(task, footprint);
  }
  behind_ = no_item;
  chosen_ = no_task;
  slot_ = state.trace.size();
  only_ = state.enabled.size() == 1 ? state.enabled.first() : no_task;
}

// Whether there is something to do from this state on.
bool StratifiedSearch::meet(const State& state, const Fingerprint& key, bool is_new) {
  TaskSet asleep;
  for (const Sleeper& sleeper : sleep_.all()) {
    if (state.enabled.contains(task_id(sleeper.task))) asleep.insert(task_id(sleeper.task));
  }
  explores_ = plan_->meet(key, asleep, is_new);
  explores_all_ = is_new;
  if (!is_new) return !explores_.empty();
  return state.enabled.empty() || !(asleep == state.enabled);
}

// The first alternative from there on that has to run; the number of options if there is none.
std::uint32_t StratifiedSearch::next_awake(const ChoicePoint& point, std::uint32_t from) const {
  for (; from < point.options.size(); ++from) {
    const std::unique_ptr<Guide> guide = guide_->copy();
    const TaskId task = point.options.task(guide->option(point, from));
    const bool sleeps = sleep_.contains(static_cast<std::uint16_t>(task));
    if (!sleeps && (explores_all_ || explores_.contains(task))) break;
  }
  return from;
}

std::size_t StratifiedSearch::choose_awake(const ChoicePoint& point, std::uint32_t index,
                                           std::uint32_t from) {
  const std::uint32_t alternative = next_awake(point, from);
  if (alternative == point.options.size()) return cut;
  if (alternative != from) {
    // It costs more than what the current execution may: it waits for its stratum.
    push_next(point, index, from, alternative);
    return cut;
  }
  const std::uint32_t next = next_awake(point, alternative + 1);
  const std::size_t before = alternatives_.size();
  if (next < point.options.size()) push_next(point, index, alternative, next);
  behind_ = alternatives_.size() > before ? before : no_item;
  const std::uint32_t option = guide_->option(point, alternative);
  chosen_ = point.options.task(option);
  return option;
}

}  // namespace ricercar::inline strategy
