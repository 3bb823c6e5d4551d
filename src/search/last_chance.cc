// Looks for the last decision at which the failure of a recorded execution could still be avoided,
// and for the passing execution that is nearest to it: of those that part from it at that decision,
// the one with the fewest different switches.
//
// An execution passes or does not; so "some continuation of the first n decisions passes" holds up
// to some n and not beyond. First a few continuations are tried where they are few and far between:
// from the end backwards in steps that double, then by bisection. That gives a decision from which
// one passes. Then more continuations from every later decision, the latest first. Then all that
// there are, depth first, the latest decision first, until the budget is spent: what has come to
// its end there is exact.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/random.h"
#include "model/execution_size.h"
#include "search/variant.h"
#include "search/variant_search.h"

namespace ricercar::inline search {
namespace {

// How an execution goes on behind the decision at which it parts.
enum class Continuation : std::uint8_t {
  then_as_recorded,  // the task that was chosen until it waits, then as in the failing execution
  no_preemption,     // nobody is interrupted any more
  next_turn_first,   // it comes as far as it does in its next turn there, then as there
  one_step_first,    // it makes one step, then as there
};
constexpr std::array quick_continuations = {Continuation::then_as_recorded,
                                            Continuation::no_preemption};
constexpr std::array all_continuations = {
    Continuation::then_as_recorded, Continuation::no_preemption, Continuation::next_turn_first,
    Continuation::one_step_first};

// A choice point, and what was decided there: first what the failing execution or a continuation
// does, then the other options in their order.
struct Decided {
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  std::uint16_t recorded = 0;     // the task, or the alternative
  std::uint32_t first = unknown;  // the index of that option
  std::uint32_t options = 0;
  std::uint32_t number = 0;  // 0: the first one; n: the n-th of the others

  std::uint32_t chosen() const {
    if (number == 0) return first;
    return number - 1 < first ? number - 1 : number;
  }
};
using Path = std::vector<Decided>;

std::vector<Turn> turns_of(const Variant& recorded, TaskId task, std::uint32_t steps,
                           Continuation how) {
  Turn own{task, Turn::no_end};
  if (how == Continuation::one_step_first) own.until = steps + 1;
  if (how == Continuation::next_turn_first) {
    const auto next =
        std::find_if(recorded.turns.begin(), recorded.turns.end(),
                     [&](const Turn& turn) { return turn.task == task && turn.until > steps; });
    if (next != recorded.turns.end()) own.until = next->until;
  }
  std::vector<Turn> turns = {own};
  turns.insert(turns.end(), recorded.turns.begin(), recorded.turns.end());
  return turns;
}

// Follows a path, and then a continuation.
class PathStrategy final : public Strategy {
 public:
  void follow(Path path, Continuation how) {
    path_ = std::move(path);
    fixed_ = path_.size();
    how_ = how;
    next_ = 0;
  }
  void set_recorded(Variant recorded) { recorded_ = std::move(recorded); }
  // With all that was decided.
  const Path& path() const { return path_; }
  // It came as far as it was told to.
  bool has_followed() const { return next_ >= fixed_; }

  bool begin() override { return true; }
  void end(Trace, const Outcome&) override {}
  Coverage coverage() const override { return {}; }
  std::size_t choose(const ChoicePoint& point) override {
    return next_ < fixed_ ? follow_path(point) : go_on(point);
  }

 private:
  std::size_t follow_path(const ChoicePoint& point) {
    Decided& decided = path_[next_];
    if (decided.first == Decided::unknown && !recognise(decided, point)) return cut;
    if (decided.options != point.options.size()) return cut;
    ++next_;
    if (next_ == fixed_) part(point, decided.chosen());
    return decided.chosen();
  }

  static bool recognise(Decided& decided, const ChoicePoint& point) {
    const OptionList& options = point.options;
    if (point.kind == ChoiceKind::value) {
      decided.first = decided.recorded;
    } else if (options.contains(task_id(decided.recorded))) {
      decided.first = options.position(task_id(decided.recorded));
    }
    return decided.first < options.size();
  }

  void part(const ChoicePoint& point, std::uint32_t chosen) {
    const TaskId task = point.options.task(chosen);
    const auto steps = static_cast<std::uint32_t>(
        std::count_if(point.trace.begin(), point.trace.end(),
                      [task](const Step& step) { return step.task == task; }));
    Variant variant;
    if (how_ != Continuation::no_preemption) {
      const bool is_value = point.kind == ChoiceKind::value;
      variant.turns = is_value ? recorded_.turns : turns_of(recorded_, task, steps, how_);
      variant.values = recorded_.values;
    }
    follower_.begin(std::move(variant));
  }

  std::size_t go_on(const ChoicePoint& point) {
    const auto chosen = static_cast<std::uint32_t>(follower_.choose(point));
    path_.push_back({0, chosen, point.options.size(), 0});
    ++next_;
    return chosen;
  }

  Variant recorded_;
  Path path_;
  std::size_t fixed_ = 0;
  std::size_t next_ = 0;
  Continuation how_ = Continuation::no_preemption;
  VariantFollower follower_;
};

// --- How near two executions are ---

struct SwitchMade {
  TaskId from;
  TaskId to;
  std::uint32_t steps;     // that `from` had made
  std::uint32_t to_steps;  // that `to` had

  auto operator<=>(const SwitchMade&) const = default;
};

std::vector<SwitchMade> switches_of(Trace trace) {
  std::vector<SwitchMade> switches;
  std::vector<std::uint32_t> steps(max_tasks, 0);
  TaskId last = trace.empty() ? no_task : trace.front().task;
  for (const Step& step : trace) {
    if (step.task != last) {
      switches.push_back({last, step.task, steps[index(last)], steps[index(step.task)]});
      last = step.task;
    }
    ++steps[index(step.task)];
  }
  std::sort(switches.begin(), switches.end());
  return switches;
}

std::uint64_t differences_of(const std::vector<SwitchMade>& one,
                             const std::vector<SwitchMade>& other) {
  std::vector<SwitchMade> common;
  std::set_intersection(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(common));
  return one.size() + other.size() - 2 * common.size();
}

// --- The search ---

class LastChanceSearch final : public VariantSource {
 public:
  void begin(Trace recorded) override;
  bool next(Attempt& attempt, std::uint64_t left) override;
  void ended(Trace, const Outcome& outcome) override { has_failed_ = outcome.is_bug(); }
  bool judge(const AttemptResult& result) override;
  void tell(LastChance& found) const override;

 private:
  using Place = std::ptrdiff_t;  // the index of a decision; nowhere: before all of them
  static constexpr Place nowhere = -1;
  static constexpr std::size_t most_enumerated = 5000;

  enum class Phase : std::uint8_t { back, bisection, every_later, all, over };

  void look_at(Phase phase, Place decision);
  bool next_at(std::span<const Continuation> continuations);
  bool next_back();
  bool next_in_bisection();
  bool next_later(std::uint64_t left);
  bool next_of_all();
  Place place_of_parting(const Path& path) const;
  void count(const Path& path, Place parting);
  bool is_better(Place parting, Trace trace);

  // The failing execution.
  Path recorded_;
  std::vector<std::uint64_t> steps_;  // that its decisions became
  std::vector<SwitchMade> switches_;
  // The one that runs.
  PathStrategy strategy_;
  Path path_;
  Continuation how_ = Continuation::no_preemption;
  bool has_failed_ = false;  // in whatever way
  // Which is next.
  Phase phase_ = Phase::over;
  Place decision_ = 0;
  std::uint32_t option_ = 1;
  std::size_t continuation_ = 0;
  Place stride_ = 1;
  Place fails_ = 0;  // the earliest decision from which nothing that was tried passes
  std::uint64_t budget_ = 0;
  std::size_t enumerated_ = 0;
  std::set<std::tuple<Place, std::uint32_t, Continuation>> tried_;
  // What was found.
  Place passing_ = nowhere;  // the latest decision from which one passes
  std::uint64_t differences_ = 0;
  ExecutionSize size_;
  std::unordered_set<std::uint64_t> known_;  // executions, by what they decide
  std::vector<std::uint64_t> counts_;        // of these, by where they part
  bool has_all_later_ = false;               // those that part later than at `passing_`
  Place unclear_ = nowhere;  // the latest parting of one of which nobody knows what comes of it
};

void LastChanceSearch::begin(Trace recorded) {
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    const Step& step = recorded[i];
    if (step.options < 2) continue;
    const bool is_value = (step.flags & step_value) != 0;
    const auto decision = static_cast<std::uint16_t>(is_value ? step.value : index(step.task));
    recorded_.push_back({decision, Decided::unknown, step.options, 0});
    steps_.push_back(i);
  }
  counts_.assign(recorded_.size(), 0);
  switches_ = switches_of(recorded);
  strategy_.set_recorded(variant_of(recorded));
  fails_ = std::ssize(recorded_);
  has_all_later_ = recorded_.empty();
  if (!recorded_.empty()) look_at(Phase::back, fails_ - 1);
}

bool LastChanceSearch::next(Attempt& attempt, std::uint64_t left) {
  budget_ = std::max(budget_, left);
  bool has_one = phase_ == Phase::back && next_back();
  has_one = has_one || (phase_ == Phase::bisection && next_in_bisection());
  has_one = has_one || (phase_ == Phase::every_later && next_later(left));
  has_one = has_one || (phase_ == Phase::all && next_of_all());
  if (!has_one) return false;
  has_failed_ = false;
  strategy_.follow(path_, how_);
  attempt.strategy = &strategy_;
  return true;
}

void LastChanceSearch::look_at(Phase phase, Place decision) {
  phase_ = phase;
  decision_ = decision;
  option_ = 1;
  continuation_ = 0;
  if (phase == Phase::all) path_ = recorded_;
}

// Another option of the decision that is looked at, or the same one and another continuation.
bool LastChanceSearch::next_at(std::span<const Continuation> continuations) {
  Path path(recorded_.begin(), recorded_.begin() + decision_ + 1);
  for (; option_ < path.back().options; ++option_, continuation_ = 0) {
    while (continuation_ < continuations.size()) {
      how_ = continuations[continuation_++];
      if (!tried_.insert({decision_, option_, how_}).second) continue;
      path.back().number = option_;
      path_ = std::move(path);
      return true;
    }
  }
  return false;
}

bool LastChanceSearch::next_back() {
  while (passing_ == nowhere) {
    if (next_at(quick_continuations)) return true;
    fails_ = decision_;
    if (decision_ == 0) {
      look_at(Phase::every_later, std::ssize(recorded_) - 1);
      return false;
    }
    look_at(Phase::back, decision_ - std::min(decision_, stride_));
    stride_ *= 2;
  }
  look_at(Phase::bisection, (passing_ + fails_) / 2);
  return false;
}

bool LastChanceSearch::next_in_bisection() {
  while (fails_ - passing_ > 1) {
    if (passing_ < decision_) {
      if (next_at(quick_continuations)) return true;
      fails_ = decision_;
    }
    look_at(Phase::bisection, (passing_ + fails_) / 2);
  }
  look_at(Phase::every_later, std::ssize(recorded_) - 1);
  return false;
}

// The one from which one passes is the last of them: another continuation may be nearer.
bool LastChanceSearch::next_later(std::uint64_t left) {
  while (left >= budget_ / 2 && decision_ >= std::max<Place>(passing_, 0)) {
    if (next_at(all_continuations)) return true;
    look_at(Phase::every_later, decision_ - 1);
  }
  look_at(Phase::all, 0);
  return false;
}

// Depth first from the failing execution on: the deepest decision that has an option left is
// another one.
bool LastChanceSearch::next_of_all() {
  for (; enumerated_ < most_enumerated; path_.pop_back()) {
    const Place size = std::ssize(path_);
    if (size <= passing_ + 1) has_all_later_ = true;
    if (size == 0 || size <= passing_) break;
    if (++path_.back().number == path_.back().options) continue;
    ++enumerated_;
    how_ = Continuation::no_preemption;
    return true;
  }
  phase_ = Phase::over;
  return false;
}

LastChanceSearch::Place LastChanceSearch::place_of_parting(const Path& path) const {
  Place place = 0;
  while (path[static_cast<std::size_t>(place)].number == 0) ++place;
  return place;
}

void LastChanceSearch::count(const Path& path, Place parting) {
  std::uint64_t hash = path.size();
  for (const Decided& decided : path) hash = mix64(hash ^ decided.chosen());
  if (known_.insert(hash).second) ++counts_[static_cast<std::size_t>(parting)];
}

bool LastChanceSearch::judge(const AttemptResult& result) {
  const Place parting = place_of_parting(path_);
  const bool is_judged =
      strategy_.has_followed() && (result.is_fine || result.fails || has_failed_);
  if (strategy_.has_followed()) {
    count(strategy_.path(), parting);
    if (phase_ == Phase::all) path_ = strategy_.path();
  }
  if (phase_ == Phase::all && !is_judged) unclear_ = std::max(unclear_, parting);
  if (!result.is_fine || !is_better(parting, result.trace)) return false;
  if (phase_ == Phase::all && passing_ != parting) has_all_later_ = true;
  passing_ = parting;
  return true;
}

// Than what was found so far; then it is what was found.
bool LastChanceSearch::is_better(Place parting, Trace trace) {
  const std::uint64_t differences = differences_of(switches_, switches_of(trace));
  const ExecutionSize size = size_of(trace);
  const bool is_nearer = std::tie(differences, size) < std::tie(differences_, size_);
  if (parting < passing_ || (parting == passing_ && !is_nearer)) return false;
  differences_ = differences;
  size_ = size;
  return true;
}

void LastChanceSearch::tell(LastChance& found) const {
  found.passes = passing_ != nowhere;
  if (found.passes) found.step = steps_[static_cast<std::size_t>(passing_)];
  found.differences = differences_;
  found.executions = known_.size();
  found.later = 0;
  for (Place i = passing_ + 1; i < std::ssize(counts_); ++i) {
    found.later += counts_[static_cast<std::size_t>(i)];
  }
  found.is_complete = has_all_later_ && unclear_ <= passing_;
}

}  // namespace

std::unique_ptr<VariantSource> make_last_chance_search() {
  return std::make_unique<LastChanceSearch>();
}

}  // namespace ricercar::inline search
