// Reads-from fuzzing: schedules are described by which reads take their values from which writes,
// and descriptions that have shown something new are changed a little and tried again. (D. Wolff,
// Z. Shi, G. Duck, U. Mathur, A. Roychoudhury, Greybox Fuzzing for Concurrency Testing, ASPLOS
// 2024.)
//
// An abstract schedule is a list of constraints: this read takes from that write, or it does not.
// An execution tries to satisfy them by letting tasks wait, and follows the priorities of partial
// order sampling otherwise. One that shows a pair of write and read for the first time keeps its
// abstract schedule. Which one is changed next, and how often, depends on how rare the set of pairs
// is that it has led to (the cut-off exponential schedule of greybox fuzzing).
//
// Departures from the paper:
// - Every operation that changes an object counts as a write, and all but plain writes as reads, so
//   that locks, conditions and the like have constraints as well.
// - A constraint is dropped if tasks wait because of it for as long as an execution has decisions:
//   whoever could satisfy it may be waiting for them.
// - Options of which there is a budget have their moments (strategy/rare_moments.h).
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/reads_from.h"
#include "strategy/registry.h"
#include "strategy/step_priorities.h"

namespace ricercar::inline strategy {
namespace {

struct Constraint {
  ReadsFrom pair;
  bool is_wanted = true;  // otherwise the read must not take from the write

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(pair, is_wanted);
  }
};

using AbstractSchedule = std::vector<Constraint>;

// Lets tasks wait until what they would do agrees with the constraints of an execution.
class ProactiveScheduler {
 public:
  void begin(const AbstractSchedule& schedule) {
    states_.clear();
    for (const Constraint& constraint : schedule) states_.push_back({constraint});
  }

  void pass(const Step& step) {
    if ((step.flags & step_value) != 0) return;
    for (State& state : states_) state.pass(step);
  }

  bool may_run(const Operation& next) const {
    return std::none_of(states_.begin(), states_.end(),
                        [&](const State& state) { return state.holds_back(next); });
  }

  bool is_done() const { return states_.empty(); }
  void give_up() { states_.clear(); }

 private:
  struct State {
    Constraint constraint;
    std::uint64_t last_write = ReadsFrom::from_before;  // of the object
    bool is_satisfied = false;

    bool is_read(std::uint64_t site, OperationKind kind) const {
      return site == constraint.pair.read && reads_object(kind);
    }
    bool has_written() const { return last_write == constraint.pair.write; }

    void pass(const Step& step) {
      if (step.object != constraint.pair.object) return;
      if (is_read(step.site, step.kind) && has_written()) is_satisfied = true;
      if (writes_object(step.kind)) last_write = step.site;
    }

    bool holds_back(const Operation& next) const {
      if (next.object != constraint.pair.object) return false;
      const bool reads = is_read(next.site, next.kind);
      if (!constraint.is_wanted) return reads && has_written();
      if (is_satisfied) return false;
      if (reads) return !has_written();
      return has_written() && writes_object(next.kind);  // not over what is to be read
    }
  };

  std::vector<State> states_;
};

// The abstract schedules that have shown something new, and whose turn it is.
class Corpus {
 public:
  Corpus() { clear(); }
  void clear() {
    entries_.assign(1, {});
    times_.clear();
    executions_ = 0;
    current_ = 0;
    energy_ = 1;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(entries_, times_, executions_, current_, energy_);
  }

  // The next one to be changed.
  const AbstractSchedule& next() {
    while (energy_ == 0) {
      current_ = (current_ + 1) % entries_.size();
      energy_ = energy_of(entries_[current_]);
    }
    --energy_;
    return entries_[current_].schedule;
  }

  void note(const AbstractSchedule& schedule, const KnownReads::Shown& shown) {
    ++executions_;
    ++times_[shown.combination];
    if (shown.has_new) entries_.push_back({schedule, shown.combination, 0});
  }

 private:
  struct Entry {
    AbstractSchedule schedule;
    std::uint64_t combination = 0;
    std::uint32_t chosen = 0;  // so often

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(schedule, combination, chosen);
    }
  };

  // None for what is more frequent than the average; otherwise twice as much with each turn, and
  // less the more frequent it is. The last of all always has some.
  std::uint64_t energy_of(Entry& entry) {
    constexpr std::uint64_t most = 64;
    const auto found = times_.find(entry.combination);
    const std::uint64_t times = found == times_.end() ? 1 : found->second;
    const std::uint64_t mean = executions_ / std::max<std::size_t>(times_.size(), 1);
    if (times > mean + 1 && entries_.size() > 1 && &entry != &entries_.back()) return 0;
    const std::uint64_t turns = std::min(entry.chosen++, 16U);
    return std::clamp<std::uint64_t>((std::uint64_t{1} << turns) / times, 1, most);
  }

  std::vector<Entry> entries_;                              // the first one has no constraints
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by combination
  std::uint64_t executions_ = 0;
  std::size_t current_ = 0;
  std::uint64_t energy_ = 1;  // how often it is still changed
};

class RffStrategy final : public Kept<RffStrategy, StrategyWith<CanRestart, CanBeKept>> {
 public:
  explicit RffStrategy(std::uint64_t seed) : base_(mix64(seed)), random_(base_) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(moments_, reads_, corpus_, patience_, executions_);
  }

  bool begin() override {
    random_ = Random(base_ + executions_++);
    moments_.begin();
    priorities_.begin();
    seen_ = 0;
    choices_ = 0;
    held_back_ = 0;
    schedule_ = corpus_.next();
    if (!reads_.empty()) change(schedule_);
    scheduler_.begin(schedule_);
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return moments_.target(point, random_);
    if (!scheduler_.is_done()) {
      for (const Step& step : point.trace.subspan(seen_)) scheduler_.pass(step);
    }
    seen_ = point.trace.size();
    priorities_.follow(point);
    ++choices_;
    const std::uint32_t rare = moments_.drawn(point, random_);
    return rare != RareMoments::none ? rare : option_of(point);
  }

  void end(Trace trace, const Outcome&) override {
    moments_.end();
    patience_ = std::max<std::uint64_t>(50, choices_);
    corpus_.note(schedule_, reads_.learn(trace));
  }
  // Other points have other constraints.
  void restart() override {
    corpus_.clear();
    reads_ = KnownReads();
  }
  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  static constexpr std::size_t most_constraints = 8;

  Constraint any_constraint() { return {reads_.any(random_), random_.below(2) == 0}; }
  Constraint& any_of(AbstractSchedule& schedule) {
    return schedule[random_.below(static_cast<std::uint32_t>(schedule.size()))];
  }

  // One change: a constraint more, another one, the opposite of one, or one less.
  void change(AbstractSchedule& schedule) {
    enum : std::uint32_t { add, replace, negate, remove, kinds };
    std::uint32_t kind = random_.below(kinds);
    if (schedule.empty()) kind = add;
    if (kind == add && schedule.size() < most_constraints) {
      schedule.push_back(any_constraint());
    } else if (kind == remove) {
      std::swap(any_of(schedule), schedule.back());
      schedule.pop_back();
    } else if (kind == negate) {
      Constraint& changed = any_of(schedule);
      changed.is_wanted = !changed.is_wanted;
    } else {
      any_of(schedule) = any_constraint();
    }
  }

  std::size_t option_of(const ChoicePoint& point) {
    if (!scheduler_.is_done()) {
      bool is_held = false;
      const std::uint32_t best = priorities_.highest(point, random_, [&](const Option& option) {
        const bool may_run = scheduler_.may_run(*option.operation);
        is_held |= !may_run;
        return may_run;
      });
      held_back_ = is_held ? held_back_ + 1 : 0;
      if (held_back_ > patience_) scheduler_.give_up();
      if (best != RareMoments::none) return best;
    }
    return priorities_.highest(point, random_);
  }

  const std::uint64_t base_;
  Random random_;
  RareMoments moments_;
  StepPriorities priorities_;
  KnownReads reads_;
  Corpus corpus_;
  AbstractSchedule schedule_;  // of this execution
  ProactiveScheduler scheduler_;
  std::size_t seen_ = 0;         // steps of the trace
  std::uint64_t choices_ = 0;    // of this execution
  std::uint64_t held_back_ = 0;  // choices in a row at which the next one had to wait
  std::uint64_t patience_ = 50;  // the most of them
  std::uint64_t executions_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_rff(const Parameters& parameters) {
  return std::make_unique<RffStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
