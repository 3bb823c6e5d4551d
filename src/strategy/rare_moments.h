// When a sampled execution takes options of which there is only a budget: what lets something go
// wrong, and time limits that pass early. Options like all others would be taken within the first
// few choices, and nothing would ever happen later. So they have their moments instead:
//
// - in every other execution each choice is as likely a moment as any other;
// - in the rest each kind of step is as likely as any other to be the one before: what is done
//   seldom counts as much as what is done all the time (signs of life, polling), and most windows
//   in which something may go wrong are behind what is done seldom; or soon after it, in a cluster;
// - every other time the next moment comes after a distance whose order of magnitude is drawn:
//   often soon, because what belongs together (a crash and the restart, two elections) does.
//
// In a cluster executions differ in more than that, so that no kind of bug is hidden by a habit:
//
// - in every other one what goes wrong hits the node that has made the step before, if it can;
// - early time limits are those of anybody, of one and the same task, or of that node;
// - in every other one a part of each budget is not used: what goes wrong too often leaves nothing
//   in which something else could.
//
// If it is wished, what is late and what goes wrong belong together there:
//
// - something is slow now and then (strategy/slow_parts.h);
// - time limits pass early by the waits that they end (likewise), each kind as likely as any other;
// - in most executions a time limit passes early where there is nothing else to do than what is
//   slow; in some where messages are slow, only there;
// - a node that has crashed may start again soon.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/bytes.h"
#include "base/plain.h"
#include "base/random.h"
#include "model/choice.h"
#include "strategy/slow_parts.h"

namespace ricercar::inline strategy {

// Neither a fault nor early.
inline bool is_common(const ChoicePoint& point, TaskId task, std::uint32_t option) {
  return option != point.fault.option &&
         (point.early.tasks == nullptr || !point.early.tasks->contains(task));
}

// How the moments of one budget come.
class Moments {
 public:
  void begin() { next_ = put_off_until_ = 0; }

  // `share`: of what is still to come, this choice included, that belongs to this choice.
  bool is_now(std::uint64_t choice, std::uint64_t to_come, double share, std::uint32_t left,
              Random& random) {
    constexpr std::uint32_t all = 1 << 24;
    const bool is_planned = next_ != 0;
    const double chance = left * share / (1 + left * share);
    const bool is_here = is_planned ? choice >= next_ : random.below(all) < chance * all;
    if (is_here) plan(choice, to_come, random);
    return is_here;
  }

  // Every other moment comes a little later than it was drawn.
  bool is_put_off(std::uint64_t choice, Random& random) {
    if (random.below(2) == 0) return false;
    const std::uint32_t distance = 1u << random.below(4);
    put_off_until_ = choice + distance + random.below(distance);
    return true;
  }
  bool waits() const { return put_off_until_ != 0; }
  bool has_waited(std::uint64_t choice) {
    const bool is_here = choice >= put_off_until_;
    if (is_here) put_off_until_ = 0;
    return is_here;
  }

 private:
  void plan(std::uint64_t choice, std::uint64_t to_come, Random& random) {
    next_ = 0;
    if (random.below(2) == 0) return;
    const auto magnitudes = static_cast<std::uint32_t>(std::bit_width(to_come));
    const std::uint32_t distance = 1u << std::min(random.below(magnitudes + 1), 30u);
    next_ = choice + distance + random.below(distance);
  }

  std::uint64_t next_ = 0;           // the choice that was planned; 0: none
  std::uint64_t put_off_until_ = 0;  // the choice of a moment that has come already; 0: none
};

// How many choices executions have, as far as it is known: it follows those so far, up at once and
// down slowly, so that one very long execution does not spoil those after it.
struct LearnedLength {
  std::uint64_t expected = 50;  // a first guess
  std::uint64_t recent = 0;     // the longest of the last few
  std::uint64_t count = 0;

  // Likewise, but the first one counts in full, because before it there was only a guess.
  void add_in_full(std::uint64_t length) {
    if (count == 0) expected = length;
    add(length);
  }
  void add(std::uint64_t length) {
    constexpr std::uint64_t few = 32;
    recent = count++ % few == 0 ? length : std::max(recent, length);
    expected = length >= expected ? length : expected - (expected - length + 15) / 16;
  }
  // Others begin with what is known now: what is long gone does not count for them.
  void settle() {
    if (recent != 0) expected = std::min(expected, recent);
  }
  void save(ByteWriter& writer) const {
    writer.number(expected);
    writer.number(recent);
    writer.number(count);
  }
  void load(ByteReader& reader) {
    expected = reader.number();
    recent = reader.number();
    count = reader.number();
  }
};

// In a third of the sampled executions of a cluster a node that has crashed starts again soon, as
// under a supervisor: many bugs need two lives of a node with little in between. Otherwise a
// restart is one of the things that may happen at some time.
class SoonRestarts {
 public:
  static constexpr std::uint32_t none = FaultOption::none;

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(are_soon_, choice_, kind_);
  }

  void begin() {
    are_soon_ = false;
    choice_ = 0;
    kind_ = none;
  }
  void draw_habits(Random& random) { are_soon_ = random.below(3) == 0; }

  // What goes wrong with this choice, the how manyth of the execution, is a restart. Then
  // `taken_kind` is the next question's answer.
  bool is_now(const ChoicePoint& point, std::uint64_t choice, Random& random) {
    const bool is_down = point.fault.restart != none;
    if (!are_soon_ || !is_down) {
      choice_ = 0;
      return false;
    }
    if (choice_ == 0) {
      const std::uint32_t distance = 1u << random.below(6);
      choice_ = choice + distance - 1 + random.below(distance);
    }
    if (choice < choice_) return false;
    choice_ = 0;
    if (point.fault.kinds > 1) kind_ = point.fault.restart;
    return true;
  }
  // none: that is not asked.
  std::uint32_t taken_kind() { return std::exchange(kind_, none); }

 private:
  bool are_soon_ = false;     // this execution
  std::uint64_t choice_ = 0;  // when the next restart comes; 0: nobody is down
  std::uint32_t kind_ = none;
};

class RareMoments {
 public:
  static constexpr std::uint32_t none = FaultOption::none;

  RareMoments() = default;
  // With what is slow, or without.
  explicit RareMoments(const std::optional<SlowParts>& slow) : slow_(slow) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    bool has_slow = slow_.has_value();
    archive(has_slow);
    if (has_slow && !slow_) slow_.emplace();
    if (has_slow) archive(*slow_, waits_, restarts_);
    archive(choice_, plain(length_), is_used_, has_begun_, prefers_seldom_, hits_actor_, limits_,
            outlasts_, only_outlasts_, last_early_, weight_, expected_weight_, executions_, times_,
            plain(faults_), plain(early_));
  }

  void begin() {
    choice_ = 0;
    weight_ = 0;
    faults_ = early_ = {};
    has_begun_ = false;
    if (slow_) slow_->begin();
    waits_.begin();
    restarts_.begin();
  }
  // How many choices there are, and what they weigh, follows the executions so far.
  void end() {
    if (slow_) slow_->end();
    waits_.end();
    length_.add(std::max<std::uint64_t>(choice_, 1));
    if (!is_used_) return;
    ++executions_;
    expected_weight_ += weight_ >= expected_weight_ ? weight_ - expected_weight_
                                                    : (weight_ - expected_weight_) / 16;
  }

  void settle() { length_.settle(); }
  // What was learned, without what is slow.
  void save(ByteWriter& writer) const {
    length_.save(writer);
    writer.number(executions_);
    writer.plain(is_used_);
    writer.plain(expected_weight_);
    writer.number(times_.size());
    for (const auto& [kind, times] : times_) {
      writer.plain(kind);
      writer.number(times);
    }
  }
  void load(ByteReader& reader) {
    length_.load(reader);
    executions_ = reader.number();
    is_used_ = reader.plain<bool>();
    expected_weight_ = reader.plain<double>();
    times_.clear();
    for (std::uint64_t left = reader.number(); left > 0; --left) {
      const auto kind = reader.plain<std::uint64_t>();
      times_[kind] = reader.number();
    }
  }

  // The option whose moment has come, or none. To be asked at every schedule point. `kind`: of the
  // step before, if that is known better than by its site and operation; 0: it is not.
  std::uint32_t drawn(const ChoicePoint& point, Random& random, std::uint64_t kind = 0) {
    ++choice_;
    const bool has_slow = is_for_cluster(point);
    const bool has_fault = point.fault.option != none;
    const bool has_early = point.early.tasks != nullptr;
    if (!has_fault && !has_early && !has_slow && !is_used_) [[likely]]
      return none;
    is_used_ = true;
    const double own = weight_of(kind != 0 ? kind : kind_of_last(point.trace));
    weight_ += own;
    if (has_slow) slow_->pass(point, own / std::max(expected_weight_, weight_), random);
    if (!has_fault && !has_early) return none;
    if (!has_begun_) draw_habits(point, random);
    const double share = prefers_seldom_ ? own / (std::max(expected_weight_ - weight_, 0.0) + own)
                                         : 1.0 / static_cast<double>(to_come() + 1);
    if (has_fault && restarts_.is_now(point, choice_, random)) return point.fault.option;
    if (has_fault && is_now(faults_, point.fault.left, share, point, random)) {
      return point.fault.option;
    }
    if (has_slow) return early_wait(point, random);
    if (has_early && is_now(early_, point.early.left, share, point, random)) {
      return early(point, random);
    }
    return none;
  }

  // What goes wrong, or whom it hits, at a value point.
  std::uint32_t target(const ChoicePoint& point, Random& random) {
    if (const std::uint32_t kind = restarts_.taken_kind(); kind < point.options.size()) return kind;
    std::uint32_t drawn = none, seen = 0;
    for (std::uint32_t i = 0; hits_actor_ && i < point.targets.size(); ++i) {
      if (point.targets[i] == faults_.actor && random.below(++seen) == 0) drawn = i;
    }
    return drawn != none ? drawn : random.below(point.options.size());
  }

  // Neither rare nor slow.
  bool is_available(const ChoicePoint& point, TaskId task, std::uint32_t option) const {
    return is_common(point, task, option) && !(slow_ && slow_->is_slow(point, task));
  }
  // One of those that are available; otherwise a time limit that passes before what is slow comes,
  // if this is such an execution; otherwise what is slow.
  std::uint32_t any_available(const ChoicePoint& point, Random& random) {
    const auto is_free = [&](TaskId task, std::uint32_t i) { return is_available(point, task, i); };
    if (const std::uint32_t drawn = any(point, random, is_free); drawn != none) return drawn;
    if (point.early.tasks != nullptr && outlasts_) return early(point, random);
    return any(point, random,
               [&](TaskId task, std::uint32_t i) { return is_common(point, task, i); });
  }

 private:
  // Whose time limits pass early.
  enum class Limits : std::uint8_t { of_anybody, of_one_task, of_actor };

  struct Budget {
    Moments moments;
    std::uint32_t spared = 0;                  // this much of it is not used
    std::uint32_t actor = TaskPlace::nowhere;  // the node of the step before the last moment
  };

  bool is_for_cluster(const ChoicePoint& point) const { return slow_ && !point.places.empty(); }

  void draw_habits(const ChoicePoint& point, Random& random) {
    has_begun_ = true;
    prefers_seldom_ = random.below(2) == 0;
    hits_actor_ = false;
    limits_ = Limits::of_anybody;
    last_early_ = no_task;
    if (point.places.empty()) return;
    hits_actor_ = random.below(2) == 0;
    limits_ = static_cast<Limits>(random.below(3));
    if (slow_) draw_what_is_late(random);
    if (random.below(2) == 0) return;
    faults_.spared = random.below(std::max(point.fault.left, 1u));
    early_.spared = random.below(std::max(point.early.left, 1u));
  }

  void draw_what_is_late(Random& random) {
    waits_.draw_habits(random);
    restarts_.draw_habits(random);
    only_outlasts_ = slow_->are_messages() && random.below(2) == 0;
    outlasts_ = only_outlasts_ || random.below(2) == 0;
  }

  bool is_now(Budget& budget, std::uint32_t left, double share, const ChoicePoint& point,
              Random& random) {
    if (left <= budget.spared) return false;
    if (budget.moments.waits()) return budget.moments.has_waited(choice_);
    const std::uint32_t used = left - budget.spared;
    if (!budget.moments.is_now(choice_, to_come(), share, used, random)) return false;
    budget.actor = last_actor(point);
    const bool is_at_once = !prefers_seldom_ || point.places.empty();
    return is_at_once || !budget.moments.is_put_off(choice_, random);
  }

  static std::uint32_t last_actor(const ChoicePoint& point) {
    if (point.places.empty() || point.trace.empty()) return TaskPlace::nowhere;
    return point.places[index(point.trace.back().task)].to;
  }

  std::uint32_t early_wait(const ChoicePoint& point, Random& random) {
    const std::uint32_t left = only_outlasts_ ? 0 : point.early.left;
    const std::uint32_t spared = std::min(left, early_.spared);
    const std::uint32_t drawn = waits_.drawn(point, left - spared, random);
    if (drawn == none) return none;
    last_early_ = point.options.task(drawn);
    slow_->outlive(point, last_early_, random);
    return drawn;
  }

  std::uint32_t early(const ChoicePoint& point, Random& random) {
    const auto is_early = [&](TaskId task, std::uint32_t) {
      return point.early.tasks->contains(task);
    };
    const auto is_of_actor = [&](TaskId task, std::uint32_t i) {
      return is_early(task, i) && point.places[index(task)].to == early_.actor;
    };
    const auto is_last = [&](TaskId task, std::uint32_t i) {
      return is_early(task, i) && task == last_early_;
    };
    std::uint32_t drawn = none;
    if (limits_ == Limits::of_one_task) drawn = any(point, random, is_last);
    if (limits_ == Limits::of_actor) drawn = any(point, random, is_of_actor);
    if (drawn == none && is_for_cluster(point)) drawn = any_kind_of_wait(point, random);
    if (drawn == none) drawn = any(point, random, is_early);
    last_early_ = point.options.task(drawn);
    if (slow_) slow_->outlive(point, last_early_, random);
    return drawn;
  }

  std::uint32_t any_kind_of_wait(const ChoicePoint& point, Random& random) const {
    constexpr std::uint32_t all = 1 << 24;
    std::uint32_t drawn = none;
    double sum = 0;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (!point.early.tasks->contains(option.task)) return;
      const double own = waits_.weight_of(point, option);
      sum += own;
      if (random.below(all) < own / sum * all) drawn = i;
    });
    return drawn;
  }

  template <typename Predicate>
  static std::uint32_t any(const ChoicePoint& point, Random& random, Predicate is_meant) {
    std::uint32_t drawn = none, seen = 0;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (is_meant(option.task, i) && random.below(++seen) == 0) drawn = i;
    });
    return drawn;
  }

  std::uint64_t to_come() const {
    return length_.expected > choice_ ? length_.expected - choice_ : 0;
  }

  // All choices behind one kind of step weigh 1 in an average execution.
  double weight_of(std::uint64_t kind) {
    std::uint64_t& times = times_[kind];
    ++times;
    return std::min(1.0, static_cast<double>(executions_ + 1) / static_cast<double>(times));
  }
  static std::uint64_t kind_of_last(Trace trace) {
    const Step last = trace.empty() ? Step{} : trace.back();
    return mix64(last.site + static_cast<std::uint64_t>(last.kind));
  }

  std::optional<SlowParts> slow_;
  EarlyWaits waits_;             // used with slow_ only, and so are
  SoonRestarts restarts_;        // these
  std::uint64_t choice_ = 0;     // so many of this execution so far
  LearnedLength length_;         // so many in all
  bool is_used_ = false;         // some choice had rare options
  bool has_begun_ = false;       // likewise, of this execution
  bool prefers_seldom_ = false;  // this execution
  bool hits_actor_ = false;      // likewise
  Limits limits_ = {};           // likewise
  bool outlasts_ = true;         // likewise: time limits pass before what is slow comes
  bool only_outlasts_ = false;   // likewise: and early only there
  TaskId last_early_ = no_task;  // whose time limit has passed early last
  double weight_ = 0;            // of the choices of this execution so far
  double expected_weight_ = 1;   // of all of them
  std::uint64_t executions_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> times_;  // by kind of step, in all executions
  Budget faults_, early_;
};

}  // namespace ricercar::inline strategy
