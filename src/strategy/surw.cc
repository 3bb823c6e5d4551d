// Selectively uniform random walk: every order of the interesting events has the same chance, and
// the other events follow. A task is drawn that is to have the next interesting event, with a
// weight that is the number of those it has left; whoever comes to an interesting event and was not
// drawn waits, and all others run on in a random order. Before a task is created its events belong
// to the weight of its creator. (H. Zhao, D. Wolff, U. Mathur, A. Roychoudhury, Selectively Uniform
// Concurrency Testing, ASPLOS 2025.)
//
// What is interesting is drawn for each execution: everything, or what is done to one object that
// several tasks share.
//
// Departures from the paper:
// - The numbers of events are learned from the executions themselves, not from a run before them,
//   and tasks are known by their number, objects by their address.
// - A task that waits in a loop has as many events as the others let it have, so the mean of what
//   was seen would keep it from ever having more. In every other execution a task counts with the
//   most events that were seen lately instead. For a task that always has as many it is the same.
// - Locks and other objects of synchronisation are as interesting as memory.
// - A task that was drawn and cannot go on, or makes no progress for as long as a whole execution
//   has events (it waits for somebody in a loop), is drawn again.
// - Options of which there is a budget have their moments (strategy/rare_moments.h).
#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "strategy/event_counts.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

enum class Interest : std::uint8_t { drawn, all, object };

class SurwStrategy final : public Kept<SurwStrategy, StrategyWith<CanRestart, Samples, CanBeKept>> {
 public:
  SurwStrategy(std::uint64_t seed, Interest interest)
      : interest_(interest), base_(mix64(seed)), random_(base_) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(moments_, counts_, most_, executions_, learned_from_);
  }

  bool begin() override {
    random_ = Random(base_ + executions_++);
    moments_.begin();
    seen_ = 0;
    waited_ = 0;
    next_ = no_task;
    draw_interest();
    weigh_tasks();
    return true;
  }

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return moments_.target(point, random_);
    for (const Step& step : point.trace.subspan(seen_)) pass(step);
    seen_ = point.trace.size();
    const std::uint32_t rare = moments_.drawn(point, random_);
    return rare != RareMoments::none ? rare : option_of(point);
  }

  void end(Trace trace, const Outcome&) override {
    moments_.end();
    follow_most();
    if (learns()) counts_.learn(trace);
  }
  // Other points are other events.
  void restart() override {
    counts_.forget();
    most_.clear();
    learned_from_ = executions_;
  }
  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions_) + ", no promise"};
  }

 private:
  // To learn costs as much as to run: the first executions, and then one of sixteen.
  bool learns() const {
    const std::uint64_t executions = executions_ - learned_from_;
    return executions <= 4 || executions % 16 == 0;
  }

  // --- What counts ---

  void draw_interest() {
    object_ = 0;
    const bool wants_all =
        interest_ == Interest::all || (interest_ == Interest::drawn && random_.below(2) == 0);
    if (wants_all || counts_.objects() == 0) return;
    number_ = random_.below(counts_.objects());
    object_ = counts_.object(number_);
  }

  bool is_interesting(OperationKind kind, std::uint64_t object) const {
    return object_ == 0 || shared_object(kind, object) == object_;
  }

  // Events as whole numbers, which add up faster than fractions.
  using Weight = std::uint64_t;
  static constexpr Weight one_event = 1 << 16;

  // Creators have smaller numbers than those they create.
  void weigh_tasks() {
    weights_.assign(counts_.tasks(), 0);
    had_.assign(std::max<std::size_t>(counts_.tasks(), most_.size()), 0);
    if (object_ == 0) {
      for (std::uint32_t i = 0; i < counts_.tasks(); ++i) set_weight(i, counts_.of_task(i));
    } else {
      for (const EventCounts::Count& count : counts_.on_object(number_)) {
        if (count.task < weights_.size()) set_weight(count.task, count.events);
      }
    }
    for (std::uint32_t task = counts_.tasks(); task-- > 1;) {
      const std::uint32_t creator = counts_.creator(task);
      if (creator != task) weights_[creator] += weights_[task];
    }
    patience_ = 50 + static_cast<std::uint64_t>(counts_.length());
  }

  void set_weight(std::uint32_t task, double events) {
    weights_[task] = static_cast<Weight>(events * growth_of(task) * one_event + 0.5);
  }

  // From the mean of a task's events to the most of them, or 1.
  double growth_of(std::uint32_t task) {
    const double mean = counts_.of_task(task);
    const bool varies = task < most_.size() && mean > 0 && most_[task] > mean + 1;
    return varies && random_.below(2) == 0 ? most_[task] / mean : 1;
  }

  // Up at once, and down slowly.
  void follow_most() {
    if (most_.size() < had_.size()) most_.resize(had_.size(), 0);
    for (std::size_t i = 0; i < had_.size(); ++i) {
      most_[i] = had_[i] >= most_[i] ? had_[i] : most_[i] - (most_[i] - had_[i]) / 64;
    }
  }

  Weight weight_of(TaskId task) const {
    return index(task) < weights_.size() ? weights_[index(task)] : 0;
  }
  void take_from(std::uint32_t task, Weight weight) {
    if (task < weights_.size()) weights_[task] -= std::min(weight, weights_[task]);
  }

  void pass(const Step& step) {
    if (is_decided(step)) {
      if (index(step.task) >= had_.size()) had_.resize(index(step.task) + 1, 0);
      ++had_[index(step.task)];
      if (is_interesting(step.kind, step.object)) {
        take_from(index(step.task), one_event);
        next_ = no_task;
      }
      ++waited_;
    }
    if (step.kind == OperationKind::create && step.value < weights_.size()) {
      hand_on(step.task, static_cast<std::uint32_t>(step.value));
    }
  }

  // The new task has its own weight from here on. If its creator is to have the next event, that
  // may be meant for the new one.
  void hand_on(TaskId creator, std::uint32_t task) {
    const std::uint32_t bearer = counts_.creator(task);
    if (bearer == task) return;
    const Weight all = weight_of(task_id(bearer));
    if (next_ == creator && below(all) < weights_[task]) next_ = task_id(task);
    take_from(bearer, weights_[task]);
  }

  // --- Who is next ---

  Weight below(Weight bound) {
    return static_cast<Weight>(static_cast<unsigned __int128>(random_.next()) * bound >> 64);
  }

  std::size_t option_of(const ChoicePoint& point) {
    const bool is_known = next_ != no_task && waited_ <= patience_;
    if (!is_known) draw_next(point);
    if (object_ == 0 && point.options.contains(next_)) return point.options.position(next_);
    std::uint32_t free = object_ == 0 ? RareMoments::none : any_free(point);
    if (free == RareMoments::none) {
      draw_next(point);
      free = point.options.position(next_);
    }
    return free;
  }

  // A task that is at an interesting event has at least this one left, whatever was learned.
  Weight weight_of(const ChoicePoint& point, const Option& option, std::uint32_t i) const {
    if (!is_common(point, option.task, i)) return 0;
    const Operation& operation = *option.operation;
    const Weight least = is_interesting(operation.kind, operation.object) ? one_event : 0;
    return std::max(weight_of(option.task), least);
  }

  // One of those that can go on, by weight; if none of them has any, each alike.
  void draw_next(const ChoicePoint& point) {
    waited_ = 0;
    Weight all = 0;
    sums_.resize(point.options.size());
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      sums_[i] = all += weight_of(point, option, i);
    });
    if (all == 0) {
      next_ = point.options.task(any_free(point));
      return;
    }
    const auto drawn = std::upper_bound(sums_.begin(), sums_.end(), below(all));
    next_ = point.options.task(static_cast<std::uint32_t>(drawn - sums_.begin()));
  }

  bool waits(const ChoicePoint& point, const Option& option, std::uint32_t i) const {
    const Operation& operation = *option.operation;
    return !is_common(point, option.task, i) ||
           (option.task != next_ && is_interesting(operation.kind, operation.object));
  }

  // One of those that need not wait. Mostly nearly all need not, and then it is found by drawing.
  std::uint32_t any_free(const ChoicePoint& point) {
    constexpr int tries = 4;
    for (int i = 0; i < tries; ++i) {
      const std::uint32_t drawn = random_.below(point.options.size());
      if (!waits(point, point.options[drawn], drawn)) return drawn;
    }
    free_.clear();
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!waits(point, option, i)) free_.push_back(i);
    });
    if (free_.empty()) return RareMoments::none;
    return free_[random_.below(static_cast<std::uint32_t>(free_.size()))];
  }

  const Interest interest_;
  const std::uint64_t base_;
  Random random_;
  RareMoments moments_;
  EventCounts counts_;
  std::uint64_t object_ = 0;         // what is done to it is interesting; 0: everything is
  std::uint32_t number_ = 0;         // of the object
  std::vector<Weight> weights_;      // interesting events left, with those of tasks to be created
  std::vector<double> most_;         // events of each task, lately
  std::vector<double> had_;          // likewise, in this execution
  TaskId next_ = no_task;            // who is to have the next interesting event
  std::uint64_t waited_ = 0;         // decisions since it was drawn
  std::uint64_t patience_ = 0;       // the most of them
  std::size_t seen_ = 0;             // steps of the trace
  std::vector<Weight> sums_;         // of the weights of all options up to each; while one is drawn
  std::vector<std::uint32_t> free_;  // options; likewise
  std::uint64_t executions_ = 0;
  std::uint64_t learned_from_ = 0;  // the execution that points are known from
};

Interest interest_by_name(const std::string& name) {
  if (name == "drawn") return Interest::drawn;
  if (name == "all") return Interest::all;
  if (name == "object") return Interest::object;
  throw UsageError("the parameter interest of surw is drawn, all or object, not '" + name + "'");
}

}  // namespace

std::unique_ptr<Strategy> make_surw(const Parameters& parameters) {
  return std::make_unique<SurwStrategy>(parameters.seed,
                                        interest_by_name(parameters.text("interest")));
}

}  // namespace ricercar::inline strategy
