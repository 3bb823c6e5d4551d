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
// - From the 257th execution on they learn from each other in rounds (strategy/round_sampler.h).
// - Options of which there is a budget have their moments (strategy/rare_moments.h).
#include <algorithm>
#include <vector>

#include "base/random.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/reads_from.h"
#include "strategy/registry.h"
#include "strategy/round_sampler.h"
#include "strategy/step_priorities.h"

namespace ricercar::inline strategy {
namespace {

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

  // If the one may run, so may the other.
  static bool are_alike(const Operation& one, const Operation& other) {
    return one.site == other.site && one.object == other.object && one.kind == other.kind;
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

// What goes from one execution to the next.
struct RffLearned {
  RareMoments moments;
  KnownReads reads;
  ScheduleCorpus corpus;
  std::uint64_t patience = 50;                // the most choices in a row to be held back
  std::vector<std::vector<ReadsFrom>> found;  // in this piece, by each that was added to the corpus

  struct Added {
    RareMoments moments;
    ScheduleCorpus::Added corpus;
    std::uint64_t patience = 0;
    std::vector<std::vector<ReadsFrom>> found;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(moments, corpus, patience, found);
    }
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(moments, reads, corpus, patience, found);
  }

  void begin_piece(std::uint64_t number) {
    found.clear();
    corpus.begin_piece(number);
  }
  Added added() const { return {moments, corpus.added(), patience, found}; }
  void add(Added added) {
    moments = added.moments;
    patience = added.patience;
    corpus.add(std::move(added.corpus), [&](std::size_t i) { return reads.learn(added.found[i]); });
  }
  // Other points have other constraints.
  void forget() {
    corpus.clear();
    reads = KnownReads();
  }

  void learn(const AbstractSchedule& schedule, Trace trace, std::uint64_t choices) {
    moments.end();
    patience = std::max<std::uint64_t>(50, choices);
    KnownReads::Shown shown = reads.learn(trace);
    corpus.note(schedule, shown);
    if (!shown.new_pairs.empty()) found.push_back(std::move(shown.new_pairs));
  }
};

class RffStrategy final : public Kept<RffStrategy, RoundSampler<RffLearned>> {
 public:
  explicit RffStrategy(std::uint64_t seed) : base_(mix64(seed)), random_(base_) {}

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return learned_.moments.target(point, random_);
    if (!scheduler_.is_done()) {
      for (const Step& step : point.trace.subspan(seen_)) scheduler_.pass(step);
    }
    seen_ = point.trace.size();
    priorities_.follow(point);
    ++choices_;
    const std::uint32_t rare = learned_.moments.drawn(point, random_);
    return rare != RareMoments::none ? rare : option_of(point);
  }

  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions()) + ", no promise"};
  }

 private:
  static constexpr std::size_t most_constraints = 8;

  void begin_sample(std::uint64_t number) override {
    random_ = Random(base_ + number);
    learned_.moments.begin();
    priorities_.begin();
    seen_ = 0;
    choices_ = 0;
    held_back_ = 0;
    schedule_ = learned_.corpus.next();
    if (!learned_.reads.empty()) change(schedule_);
    scheduler_.begin(schedule_);
  }

  void end_sample(Trace trace) override { learned_.learn(schedule_, trace, choices_); }

  Constraint any_constraint() { return {learned_.reads.any(random_), random_.below(2) == 0}; }
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
    if (scheduler_.is_done()) return priorities_.highest(point, random_);
    // Threads that run the same code are often about to do the same.
    const Operation* last = nullptr;
    bool last_may = true;
    bool is_held = false;
    const std::uint32_t best = priorities_.highest(point, random_, [&](const Operation& next) {
      if (last == nullptr || !ProactiveScheduler::are_alike(*last, next)) {
        last = &next;
        last_may = scheduler_.may_run(next);
      }
      is_held |= !last_may;
      return last_may;
    });
    held_back_ = is_held ? held_back_ + 1 : 0;
    if (held_back_ > learned_.patience) scheduler_.give_up();
    return best;
  }

  const std::uint64_t base_;
  Random random_;
  StepPriorities priorities_;
  AbstractSchedule schedule_;  // of this execution
  ProactiveScheduler scheduler_;
  std::size_t seen_ = 0;         // steps of the trace
  std::uint64_t choices_ = 0;    // of this execution
  std::uint64_t held_back_ = 0;  // choices in a row at which the next one had to wait
};

}  // namespace

std::unique_ptr<Strategy> make_rff(const Parameters& parameters) {
  return std::make_unique<RffStrategy>(parameters.seed);
}

}  // namespace ricercar::inline strategy
