// What is slow in a sampled execution of a cluster, and which time limits pass early because of
// that.
//
// Where each choice is drawn for itself, nothing
// stays behind for long: a message that could arrive does so within a few choices. But many bugs of
// distributed systems need one that arrives late, a node that is slow, or two that hear each other
// sooner than a third. So now and then something becomes slow for a while, and is not taken as long
// as there is anything else; and some tasks (connections, threads) are so from the beginning. How
// often that happens, and to what, is drawn for each execution: a quarter of them have nothing that
// is slow. In every other one of the rest it is only a message, and more likely one behind a step
// that is made seldom: among signs of life and polling, what matters is said seldom.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <unordered_map>
#include <vector>

#include "base/plain.h"
#include "base/random.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

class SlowParts {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(choice_, expected_, has_begun_, known_, times_, new_ones_, what_, lasts_,
            is_what_was_said_, plain(slow_));
  }

  void begin() {
    choice_ = 0;
    known_ = 0;
    has_begun_ = false;
    slow_.clear();
  }
  // How many choices there are follows the executions so far.
  void end() {
    const std::uint64_t length = std::max<std::uint64_t>(choice_, 1);
    expected_ = length >= expected_ ? length : expected_ - (expected_ - length + 15) / 16;
  }

  // To be asked at every schedule point, before is_slow. `share`: of the weight of all steps of an
  // execution, that of the last one (strategy/rare_moments.h).
  void pass(const ChoicePoint& point, double share, Random& random) {
    if (point.places.empty()) [[likely]]
      return;
    ++choice_;
    if (!has_begun_) draw_mood(random);
    std::erase_if(slow_, [this](const Part& part) { return part.until <= choice_; });
    while (known_ < point.places.size()) note_new(task_id(known_++), random);
    if (times_ == 0) return;
    if (is_what_was_said_) return delay_what_was_said(point, share, random);
    if (random.below(static_cast<std::uint32_t>(expected_)) < times_) {
      slow_.push_back(draw_part(point, random));
    }
  }

  // A time limit of this task passes early: what is on its way to its node, or from it, may be slow
  // for longer than that.
  void outlive(const ChoicePoint& point, TaskId waiting, Random& random) {
    if (point.places.empty() || !lasts_) return;
    const std::uint32_t node = point.places[index(waiting)].to;
    const std::uint64_t until = draw_end(random);
    point.options.for_each([&](const Option& option, std::uint32_t) {
      const TaskPlace place = point.places[index(option.task)];
      const bool is_message = place.from != place.to;
      if (!is_message || (place.to != node && place.from != node)) return;
      slow_.push_back({What::task, option.task, place, until});
    });
  }

  bool is_slow(const ChoicePoint& point, TaskId task) const {
    if (slow_.empty()) [[likely]]
      return false;
    const TaskPlace place = point.places[index(task)];
    return std::any_of(slow_.begin(), slow_.end(),
                       [&](const Part& part) { return part.contains(task, place); });
  }
  // Only messages are, seldom ones.
  bool are_messages() const { return is_what_was_said_; }
  bool is_any() const { return !slow_.empty(); }

 private:
  enum class What : std::uint8_t { task, way, into, out_of, node };
  static constexpr std::uint32_t kinds = 5;

  struct Part {
    What what;
    TaskId task;
    TaskPlace place;
    std::uint64_t until;  // this choice

    bool contains(TaskId other, const TaskPlace& there) const {
      const bool is_message = there.from != there.to;
      switch (what) {
        case What::task:
          return other == task;
        case What::way:
          return there == place;
        case What::into:
          return is_message && there.to == place.to;
        case What::out_of:
          return is_message && there.from == place.from;
        case What::node:
          break;
      }
      return there.to == place.to || there.from == place.to;
    }
  };

  void draw_mood(Random& random) {
    has_begun_ = true;
    constexpr std::uint32_t shares[] = {0, 1, 4};
    const bool is_none = random.below(4) == 0;
    times_ = is_none ? 0 : 1u << random.below(6);
    new_ones_ = is_none ? 0 : shares[random.below(std::size(shares))];
    what_ = static_cast<What>(random.below(kinds));
    lasts_ = random.below(2) == 0;
    is_what_was_said_ = !is_none && random.below(2) == 0;
    if (!is_what_was_said_) return;
    times_ = 1u << random.below(4);
    new_ones_ = 0;
  }

  void note_new(TaskId task, Random& random) {
    if (new_ones_ == 0 || random.below(16) >= new_ones_) return;
    slow_.push_back({What::task, task, {}, draw_end(random)});
  }

  // A message of the node that has made the last step.
  void delay_what_was_said(const ChoicePoint& point, double share, Random& random) {
    constexpr std::uint32_t all = 1 << 24;
    if (point.trace.empty() || random.below(all) >= times_ * share * all) return;
    const std::uint32_t speaker = point.places[index(point.trace.back().task)].to;
    TaskId said = no_task;
    std::uint32_t seen = 0;
    point.options.for_each([&](const Option& option, std::uint32_t) {
      const TaskPlace place = point.places[index(option.task)];
      if (place.from != speaker || place.to == speaker) return;
      if (random.below(++seen) == 0) said = option.task;
    });
    constexpr std::uint32_t least = 3;  // a magnitude; what is slow for less is hardly noticed
    if (said != no_task) slow_.push_back({What::task, said, {}, draw_end(random, least)});
  }

  // That of one of the options, for a time whose order of magnitude is drawn.
  Part draw_part(const ChoicePoint& point, Random& random) {
    const TaskId task = point.options.task(random.below(point.options.size()));
    return {what_, task, point.places[index(task)], draw_end(random)};
  }
  std::uint64_t draw_end(Random& random, std::uint32_t least = 0) {
    const auto magnitudes = static_cast<std::uint32_t>(std::bit_width(expected_));
    const std::uint32_t more = magnitudes > least ? random.below(magnitudes - least) : 0;
    const std::uint32_t distance = 1u << std::min(least + more, 30u);
    return choice_ + distance + random.below(distance);
  }

  std::uint64_t choice_ = 0;     // so many of this execution so far
  std::uint64_t expected_ = 50;  // so many in all
  bool has_begun_ = false;
  std::uint32_t known_ = 0;        // tasks of this execution, so far
  std::uint32_t times_ = 0;        // this execution: so often something becomes slow
  std::uint32_t new_ones_ = 0;     // likewise: so many of 16 tasks are slow from the beginning
  What what_ = What::task;         // and what that is
  bool lasts_ = false;             // likewise: what is later than a time limit stays slow
  bool is_what_was_said_ = false;  // likewise: only messages are slow, seldom ones
  std::vector<Part> slow_;
};

// Which time limits pass early. Most of those that could pass at some choice are of threads that
// sleep or look around from time to time; somebody who waits for an answer does so seldom, and not
// for long. If each choice counted alike, the limits of the latter would hardly ever pass, and
// those are the ones that say that a message is late. So each wait counts once, however long it
// takes, and each kind of wait (a place in the program, of a node) as much as any other; a sleep,
// which ends the same way sooner or later, counts a quarter. What was drawn passes at once or soon.
// In two of three executions other waits of that node are then likely to end in the same way for a
// while: an election is held again, an attempt is made again.
class EarlyWaits {
 public:
  static constexpr std::uint32_t none = FaultOption::none;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(steps_, weight_, expected_weight_, executions_, repeats_, node_, node_until_, is_known_,
            due_, times_);
  }

  void begin() {
    steps_ = node_until_ = 0;
    weight_ = 0;
    is_known_.clear();
    due_.clear();
  }
  void draw_habits(Random& random) { repeats_ = random.below(3) != 0; }
  // What all waits weigh follows the executions so far.
  void end() {
    ++executions_;
    expected_weight_ += weight_ >= expected_weight_ ? weight_ - expected_weight_
                                                    : (weight_ - expected_weight_) / 16;
  }

  // The option that lets a time limit pass early now, or none. To be asked at every schedule point.
  // `left`: how many may.
  std::uint32_t drawn(const ChoicePoint& point, std::uint32_t left, Random& random) {
    note_steps(point.trace);
    if (point.early.tasks == nullptr) return none;
    std::uint32_t due = none;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      const std::size_t task = index(option.task);
      if (!point.early.tasks->contains(option.task)) return;
      if (task >= is_known_.size()) is_known_.resize(task + 1), due_.resize(task + 1);
      if (is_known_[task] == 0) note_wait(point, option, left, random);
      if (due_[task] != 0 && due_[task] <= point.trace.size()) due = i;
    });
    if (left == 0 || due == none) return none;
    const std::size_t task = index(point.options.task(due));
    due_[task] = 0;
    if (repeats_) go_on_with(point.places[task].to, point.trace.size(), random);
    return due;
  }

  // How much a wait counts.
  double weight_of(const ChoicePoint& point, const Option& wait) const {
    const auto times = times_.find(kind_of(point, wait));
    return times == times_.end() ? 1 : share_of(wait, times->second);
  }

 private:
  static std::uint64_t kind_of(const ChoicePoint& point, const Option& wait) {
    const Operation& operation = *wait.operation;
    return mix64(mix64(operation.site + static_cast<std::uint64_t>(operation.kind)) +
                 point.places[index(wait.task)].to);
  }
  // All waits of one kind weigh 1 in an average execution.
  double share_of(const Option& wait, std::uint64_t times) const {
    const double all = wait.operation->kind == OperationKind::sleep ? 0.25 : 1;
    return all * std::min(1.0, static_cast<double>(executions_ + 1) / static_cast<double>(times));
  }

  // Who has done something waits anew after it.
  void note_steps(Trace trace) {
    for (; steps_ < trace.size(); ++steps_) {
      const std::size_t task = index(trace[steps_].task);
      if (task < is_known_.size()) is_known_[task] = 0, due_[task] = 0;
    }
  }

  void note_wait(const ChoicePoint& point, const Option& wait, std::uint32_t left, Random& random) {
    constexpr std::uint32_t all = 1 << 24;
    const std::size_t task = index(wait.task);
    const double own = share_of(wait, ++times_[kind_of(point, wait)]);
    weight_ += own;
    const double to_come = std::max(expected_weight_ - weight_, 0.0) + own;
    double chance = left * own / (to_come + left * own);
    const bool is_repeated = point.trace.size() < node_until_ && point.places[task].to == node_;
    if (is_repeated) chance = std::max(chance, 0.5);
    is_known_[task] = 1;
    if (random.below(all) >= chance * all) return;
    const std::uint32_t distance = random.below(2) == 0 ? 0 : 1u << random.below(6);
    due_[task] = point.trace.size() + distance;
  }

  void go_on_with(std::uint32_t node, std::uint64_t step, Random& random) {
    const std::uint32_t distance = 8u << random.below(5);
    node_ = node;
    node_until_ = step + distance + random.below(distance);
  }

  std::uint64_t steps_ = 0;     // of the trace that were seen
  double weight_ = 0;           // of the waits of this execution so far
  double expected_weight_ = 1;  // of all of them
  std::uint64_t executions_ = 0;
  bool repeats_ = false;                     // this execution
  std::uint32_t node_ = TaskPlace::nowhere;  // whose limits pass early
  std::uint64_t node_until_ = 0;             // up to this step
  std::vector<std::uint8_t> is_known_;       // by task: its present wait was seen
  std::vector<std::uint64_t> due_;           // by task: it ends with this step; 0: as it does
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by kind, in all executions
};

}  // namespace ricercar::inline strategy
