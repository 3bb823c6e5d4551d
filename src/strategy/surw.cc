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
#include "strategy/block_sampler.h"
#include "strategy/event_counts.h"
#include "strategy/kept.h"
#include "strategy/rare_moments.h"
#include "strategy/registry.h"

namespace ricercar::inline strategy {
namespace {

enum class Interest : std::uint8_t { drawn, all, object };

// What goes from one execution to the next.
struct SurwLearned {
  RareMoments moments;
  EventCounts counts;
  std::vector<double> most;   // events of each task, lately
  std::uint64_t learned = 0;  // executions since points are known

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(moments, counts, most, learned);
  }
  void settle() { moments.settle(); }
  // Other points are other events.
  void forget() {
    counts.forget();
    most.clear();
    learned = 0;
  }
  void save(ByteWriter& writer) const {
    moments.save(writer);
    KeptOut out;
    out(counts, most, learned);
    writer.text({out.bytes().data(), out.bytes().size()});
  }
  void load(ByteReader& reader) {
    moments.load(reader);
    KeptIn in(reader.text());
    in(counts, most, learned);
  }
};

class SurwStrategy final : public Kept<SurwStrategy, BlockSampler<SurwLearned>> {
 public:
  SurwStrategy(std::uint64_t seed, Interest interest)
      : interest_(interest), base_(mix64(seed)), random_(base_) {}

  std::size_t choose(const ChoicePoint& point) override {
    if (point.kind == ChoiceKind::value) return learned_.moments.target(point, random_);
    for (const Step& step : point.trace.subspan(seen_)) pass(step);
    seen_ = point.trace.size();
    const std::uint32_t rare = learned_.moments.drawn(point, random_);
    return rare != RareMoments::none ? rare : option_of(point);
  }

  void restart() override {
    BlockSampler::restart();
    teach_again();
  }
  Coverage coverage() const override {
    return {false, "random executions: " + std::to_string(executions()) + ", no promise"};
  }

 private:
  void begin_sample(std::uint64_t number) override {
    random_ = Random(base_ + number);
    learned_.moments.begin();
    seen_ = 0;
    waited_ = 0;
    next_ = no_task;
    draw_interest();
    weigh_tasks();
  }

  void end_sample(Trace trace) override {
    learned_.moments.end();
    follow_most();
    ++learned_.learned;
    if (learns()) learned_.counts.learn(trace);
  }

  // To learn costs as much as to run: the first executions, and then one of sixteen.
  bool learns() const { return learned_.learned <= 4 || learned_.learned % 16 == 0; }

  // --- What counts ---

  void draw_interest() {
    object_ = 0;
    const bool wants_all =
        interest_ == Interest::all || (interest_ == Interest::drawn && random_.below(2) == 0);
    if (wants_all || learned_.counts.objects() == 0) return;
    number_ = random_.below(learned_.counts.objects());
    object_ = learned_.counts.object(number_);
  }

  bool is_interesting(OperationKind kind, std::uint64_t object) const {
    return object_ == 0 || (object == object_ && shared_object(kind, object) != 0);
  }

  // Events as whole numbers, which add up faster than fractions.
  using Weight = std::uint64_t;
  static constexpr Weight one_event = 1 << 16;

  // Creators have smaller numbers than those they create.
  void weigh_tasks() {
    weights_.assign(learned_.counts.tasks(), 0);
    had_.assign(std::max<std::size_t>(learned_.counts.tasks(), learned_.most.size()), 0);
    if (object_ == 0) {
      for (std::uint32_t i = 0; i < learned_.counts.tasks(); ++i)
        set_weight(i, learned_.counts.of_task(i));
    } else {
      for (const EventCounts::Count& count : learned_.counts.on_object(number_)) {
        if (count.task < weights_.size()) set_weight(count.task, count.events);
      }
    }
    for (std::uint32_t task = learned_.counts.tasks(); task-- > 1;) {
      const std::uint32_t creator = learned_.counts.creator(task);
      if (creator != task) weights_[creator] += weights_[task];
    }
    patience_ = 50 + static_cast<std::uint64_t>(learned_.counts.length());
  }

  void set_weight(std::uint32_t task, double events) {
    weights_[task] = static_cast<Weight>(events * growth_of(task) * one_event + 0.5);
  }

  // From the mean of a task's events to the most of them, or 1.
  double growth_of(std::uint32_t task) {
    const double mean = learned_.counts.of_task(task);
    const bool varies = task < learned_.most.size() && mean > 0 && learned_.most[task] > mean + 1;
    return varies && random_.below(2) == 0 ? learned_.most[task] / mean : 1;
  }

  // Up at once, and down slowly.
  void follow_most() {
    if (learned_.most.size() < had_.size()) learned_.most.resize(had_.size(), 0);
    for (std::size_t i = 0; i < had_.size(); ++i) {
      learned_.most[i] = had_[i] >= learned_.most[i]
                             ? had_[i]
                             : learned_.most[i] - (learned_.most[i] - had_[i]) / 64;
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
    const std::uint32_t bearer = learned_.counts.creator(task);
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

  static bool has_rare(const ChoicePoint& point) {
    return point.fault.option != FaultOption::none || point.early.tasks != nullptr;
  }

  // A task that is at an interesting event has at least this one left, whatever was learned.
  Weight weight_of(const Option& option) const {
    const Weight weight = weight_of(option.task);
    if (weight >= one_event) return weight;
    const Operation& operation = *option.operation;
    return is_interesting(operation.kind, operation.object) ? one_event : weight;
  }

  // One of those that can go on, by weight; if none of them has any, each alike.
  void draw_next(const ChoicePoint& point) {
    waited_ = 0;
    Weight all = 0;
    sums_.resize(point.options.size());
    if (has_rare(point)) {
      point.options.for_each([&](const Option& option, std::uint32_t i) {
        sums_[i] = all += is_common(point, option.task, i) ? weight_of(option) : 0;
      });
    } else {
      point.options.for_each(
          [&](const Option& option, std::uint32_t i) { sums_[i] = all += weight_of(option); });
    }
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

  // One of those that need not wait. Mostly nearly all need not, and then it is found by drawing;
  // where nearly all wait it takes less time to know who does not. Either way it is the same one.
  std::uint32_t any_free(const ChoicePoint& point) {
    constexpr int tries = 4;
    if (most_wait_) find_free(point);
    for (int i = 0; i < tries; ++i) {
      const std::uint32_t drawn = random_.below(point.options.size());
      const bool is_free = most_wait_ ? std::binary_search(free_.begin(), free_.end(), drawn)
                                      : !waits(point, point.options[drawn], drawn);
      if (is_free) return drawn;
    }
    if (!most_wait_) find_free(point);
    most_wait_ = free_.size() < point.options.size() / 4;
    if (free_.empty()) return RareMoments::none;
    return free_[random_.below(static_cast<std::uint32_t>(free_.size()))];
  }

  void find_free(const ChoicePoint& point) {
    free_.clear();
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!waits(point, option, i)) free_.push_back(i);
    });
  }

  const Interest interest_;
  const std::uint64_t base_;
  Random random_;
  std::uint64_t object_ = 0;         // what is done to it is interesting; 0: everything is
  std::uint32_t number_ = 0;         // of the object
  std::vector<Weight> weights_;      // interesting events left, with those of tasks to be created
  std::vector<double> had_;          // events of each task in this execution
  TaskId next_ = no_task;            // who is to have the next interesting event
  std::uint64_t waited_ = 0;         // decisions since it was drawn
  std::uint64_t patience_ = 0;       // the most of them
  std::size_t seen_ = 0;             // steps of the trace
  std::vector<Weight> sums_;         // of the weights of all options up to each; while one is drawn
  std::vector<std::uint32_t> free_;  // options; likewise
  bool most_wait_ = false;           // of the options, as far as is known
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
