// Probabilistic concurrency testing: the enabled task with the highest priority runs; priorities
// are random, and at depth-1 random points the task that would run falls below all others.
// (Burckhardt, Kothari, Musuvathi, Nagarakatte, A Randomized Scheduler with Probabilistic
// Guarantees of Finding Bugs, ASPLOS 2010.)
//
// Departures from the paper:
// - k counts the choices between tasks, not all steps: where one task alone is enabled, a lower
//   priority has no effect. So k is smaller and the guaranteed probability larger.
// - k need not be known: it is the length of the first execution, and then follows the executions
// so
//   far (LearnedLength), as far as strategy/block_sampler.h lets them teach each other.
// - Options of which there is a budget, as what lets something go wrong, have no priority but their
//   moments (strategy/rare_moments.h).
// - A task that yields falls below all others, or a task that waits for another one by spinning
//   would never let it run.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "model/choice.h"
#include "strategy/block_sampler.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

// The priorities of tasks for strategies that always run the highest one: random at first, lowered
// on the way (pct.cc).
// An option of a choice point.
struct PrioritizedTask {
  TaskId task = no_task;
  std::uint32_t option = 0;
  std::uint64_t priority = 0;
};

// The priorities of all tasks, and the tasks in the order of their priorities once there is a point
// with many options: there the order finds the highest one sooner than a look at every option.
class TaskPriorities {
 public:
  void clear() {
    known_ = 0;
    lowest_ = yielded_top;
    ordered_ = false;
  }

  std::uint32_t known() const { return known_; }
  // Gives a random priority to all tasks with numbers up to that of `task`.
  void add_up_to(TaskId task, Random& random) {
    while (known_ <= index(task)) {
      priorities_[known_] = initial_base + random.below(0xffffffff);
      if (ordered_) insert(task_id(known_));
      ++known_;
    }
  }

  // TaskPriorities of change points: above those of tasks that yielded, below those of all others.
  void lower(TaskId task, std::uint32_t priority) { change(task, yielded_top + priority); }
  void lower_below_all(TaskId task) { change(task, --lowest_); }

  // Of the common options.
  PrioritizedTask highest(const ChoicePoint& point) {
    const bool has_rare = point.fault.option != FaultOption::none || point.early.tasks != nullptr;
    const OptionList& options = point.options;
    if (options.size() > few_options && !has_rare) return first_in_order(options);
    PrioritizedTask best;
    options.for_each([&](const Option& option, std::uint32_t i) {
      const std::uint64_t priority = priorities_[index(option.task)];
      if (has_rare && !is_common(point, option.task, i)) return;
      if (priority > best.priority) best = {option.task, i, priority};
    });
    return best;
  }

 private:
  static constexpr std::uint32_t few_options = 12;
  static constexpr std::uint64_t yielded_top = std::uint64_t{1} << 40;
  static constexpr std::uint64_t initial_base = std::uint64_t{1} << 41;

  bool is_higher(TaskId a, TaskId b) const { return priorities_[index(a)] > priorities_[index(b)]; }

  PrioritizedTask first_in_order(const OptionList& options) {
    if (!ordered_) make_order();
    const auto found = std::find_if(order_.begin(), order_.end(),
                                    [&](TaskId task) { return options.contains(task); });
    RICERCAR_CHECK(found != order_.end());
    return {*found, options.position(*found), priorities_[index(*found)]};
  }

  void make_order() {
    order_.clear();
    for (std::uint32_t i = 0; i < known_; ++i) order_.push_back(task_id(i));
    std::sort(order_.begin(), order_.end(), [this](TaskId a, TaskId b) { return is_higher(a, b); });
    ordered_ = true;
  }

  void insert(TaskId task) {
    const auto place = std::upper_bound(order_.begin(), order_.end(), task,
                                        [this](TaskId a, TaskId b) { return is_higher(a, b); });
    order_.insert(place, task);
  }

  void change(TaskId task, std::uint64_t priority) {
    priorities_[index(task)] = priority;
    if (!ordered_) return;
    order_.erase(std::find(order_.begin(), order_.end(), task));
    insert(task);
  }

  std::array<std::uint64_t, max_tasks> priorities_ = {};
  std::uint32_t known_ = 0;  // tasks with smaller numbers have a priority
  std::uint64_t lowest_ = yielded_top;
  bool ordered_ = false;       // order_ is up to date
  std::vector<TaskId> order_;  // from the highest priority to the lowest
};

// What executions have shown.
struct PctLearned {
  LearnedLength choices;  // the k of the paper, see above
  std::uint32_t most_tasks = 0;
  RareMoments moments;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(choices), most_tasks, moments);
  }
  void settle() {
    choices.settle();
    moments.settle();
  }
  void save(ByteWriter& writer) const {
    choices.save(writer);
    writer.number(most_tasks);
    moments.save(writer);
  }
  void load(ByteReader& reader) {
    choices.load(reader);
    // Whatever the block was that it was seen in.
    most_tasks = std::max(most_tasks, static_cast<std::uint32_t>(reader.number()));
    moments.load(reader);
  }
};

class PctStrategy final : public Kept<PctStrategy, BlockSampler<PctLearned, ShowsProgress>> {
 public:
  PctStrategy(std::uint64_t seed, std::uint64_t depth, std::uint64_t choices)
      : base_(mix64(seed)), random_(base_), learns_(choices == 0) {
    if (!learns_) learned_.choices.expected = choices;
    changes_.resize(depth - 1);
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    BlockSampler::serialize(archive);
    archive(last_step_, most_tasks_);
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return learned_.moments.target(point, random_);
    const TaskId newest = point.options.task(point.options.size() - 1);
    if (index(newest) >= priorities_.known()) [[unlikely]] {
      priorities_.add_up_to(newest, random_);
    }
    if (has_yielded(point)) priorities_.lower_below_all(last_task_);
    const PrioritizedTask chosen = next(point);
    ++choice_;
    last_step_ = point.step;
    last_task_ = chosen.task;
    return chosen.option;
  }

  Coverage coverage() const override {
    const std::string n = std::to_string(std::max({most_tasks_, learned_.most_tasks, 1u}));
    const std::string k = std::to_string(learned_.choices.expected);
    const std::string depth = std::to_string(changes_.size() + 1);
    return {false, "random executions: " + std::to_string(executions()) +
                       ", each finds a bug of depth " + depth + " with probability at least 1/(" +
                       n + "*" + k + "^" + std::to_string(changes_.size()) + ") (tasks: " + n +
                       ", choices: " + k + ")"};
  }

  std::string progress() const override { return "depth " + std::to_string(changes_.size() + 1); }

 private:
  void begin_sample(std::uint64_t number) override {
    random_ = Random(base_ + number);
    priorities_.clear();
    learned_.moments.begin();
    choice_ = 0;
    last_task_ = no_task;
    draw_changes();
  }

  void end_sample(Trace) override {
    most_tasks_ = std::max(most_tasks_, priorities_.known());
    learned_.most_tasks = std::max(learned_.most_tasks, priorities_.known());
    learned_.moments.end();
    if (learns_) learned_.choices.add_in_full(std::clamp<std::uint64_t>(choice_, 1, 0xffffffff));
  }

  // What there is a budget of has no priority, but its moments.
  PrioritizedTask next(const ChoicePoint& point) {
    const std::uint32_t rare = learned_.moments.drawn(point, random_);
    if (rare != RareMoments::none) return {point.options.task(rare), rare, 0};
    return highest(point);
  }

  // At which choice the task that would run gets a low priority, and which one.
  struct Change {
    std::uint64_t choice;
    std::uint32_t priority;
  };

  void draw_changes() {
    next_change_ = 0;
    std::uint32_t priority = 0;
    for (Change& change : changes_) {
      change = {random_.below(static_cast<std::uint32_t>(learned_.choices.expected)), ++priority};
    }
    std::sort(changes_.begin(), changes_.end(),
              [](const Change& a, const Change& b) { return a.choice < b.choice; });
  }

  PrioritizedTask highest(const ChoicePoint& point) {
    PrioritizedTask best = priorities_.highest(point);
    while (next_change_ < changes_.size() && changes_[next_change_].choice == choice_) {
      priorities_.lower(best.task, changes_[next_change_++].priority);
      best = priorities_.highest(point);
    }
    return best;
  }

  // The task of the last step could go on, and still the world does not count it as running.
  bool has_yielded(const ChoicePoint& point) const {
    return point.running == no_task && point.step == last_step_ + 1 &&
           point.options.contains(last_task_);
  }

  const std::uint64_t base_;
  Random random_;
  const bool learns_;  // the number of choices
  std::vector<Change> changes_;
  std::size_t next_change_ = 0;
  TaskPriorities priorities_;
  std::uint64_t choice_ = 0;  // how many choices between tasks this execution had so far
  std::uint64_t last_step_ = 0;
  TaskId last_task_ = no_task;
  std::uint32_t most_tasks_ = 0;  // of any execution
};

}  // namespace

std::unique_ptr<Strategy> make_pct(const Parameters& parameters) {
  return std::make_unique<PctStrategy>(parameters.seed, parameters.number("depth"),
                                       parameters.number("steps"));
}

}  // namespace ricercar::inline strategy
