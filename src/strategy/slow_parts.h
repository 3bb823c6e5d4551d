// What is slow in a sampled execution of a cluster. Where each choice is drawn for itself, nothing
// stays behind for long: a message that could arrive does so within a few choices. But many bugs of
// distributed systems need one that arrives late, a node that is slow, or two that hear each other
// sooner than a third. So now and then something becomes slow for a while, and is not taken as long
// as there is anything else; and some tasks (connections, threads) are so from the beginning. How
// often that happens, and to what, is drawn for each execution: a quarter of them have nothing that
// is slow.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/plain.h"
#include "base/random.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

class SlowParts {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(choice_, expected_, has_begun_, known_, times_, new_ones_, what_, lasts_, plain(slow_));
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

  // To be asked at every schedule point, before is_slow.
  void pass(const ChoicePoint& point, Random& random) {
    if (point.places.empty()) [[likely]]
      return;
    ++choice_;
    if (!has_begun_) draw_mood(random);
    std::erase_if(slow_, [this](const Part& part) { return part.until <= choice_; });
    while (known_ < point.places.size()) note_new(task_id(known_++), random);
    if (times_ > 0 && random.below(static_cast<std::uint32_t>(expected_)) < times_) {
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
  }

  void note_new(TaskId task, Random& random) {
    if (new_ones_ == 0 || random.below(16) >= new_ones_) return;
    slow_.push_back({What::task, task, {}, draw_end(random)});
  }

  // That of one of the options, for a time whose order of magnitude is drawn.
  Part draw_part(const ChoicePoint& point, Random& random) {
    const TaskId task = point.options.task(random.below(point.options.size()));
    return {what_, task, point.places[index(task)], draw_end(random)};
  }
  std::uint64_t draw_end(Random& random) {
    const auto magnitudes = static_cast<std::uint32_t>(std::bit_width(expected_));
    const std::uint32_t distance = 1u << std::min(random.below(magnitudes), 30u);
    return choice_ + distance + random.below(distance);
  }

  std::uint64_t choice_ = 0;     // so many of this execution so far
  std::uint64_t expected_ = 50;  // so many in all
  bool has_begun_ = false;
  std::uint32_t known_ = 0;     // tasks of this execution, so far
  std::uint32_t times_ = 0;     // this execution: so often something becomes slow
  std::uint32_t new_ones_ = 0;  // likewise: so many of 16 tasks are slow from the beginning
  What what_ = What::task;      // and what that is
  bool lasts_ = false;          // likewise: what is later than a time limit stays slow
  std::vector<Part> slow_;
};

}  // namespace ricercar::inline strategy
