// The decisions of one execution, as a search keeps them that runs every prefix again: a stack with
// one level of 8 bytes for each choice point. Used by the strategies that cover a space
// systematically.
//
// At a point the default comes first (the running task goes on; without one, option 0), then the
// other options in ascending order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/error.h"
#include "base/plain.h"
#include "model/choice.h"

namespace ricercar::inline strategy {

// Another choice than the running task is a preemption.
inline bool can_preempt(const ChoicePoint& point) {
  return point.kind == ChoiceKind::schedule && point.running != no_task;
}

// "1 preemption", "2 preemptions".
inline std::string preemptions_text(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " preemption" : " preemptions");
}

// The option that comes first at a point.
inline std::uint32_t default_option(const ChoicePoint& point) {
  return can_preempt(point) ? point.options.position(point.running) : 0;
}

class DecisionStack {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(levels_), depth_, plain(early_end_));
  }

  // Starts an execution. Throws if the last one ended early.
  void rewind() {
    if (early_end_) throw Nondeterminism(early_end_->steps, early_end_->options, 0);
    depth_ = 0;
  }

  bool replaying() const { return depth_ < levels_.size(); }

  // The decision at the next point of the prefix; only while replaying(). Throws Nondeterminism if
  // it is not the point that it was before.
  std::size_t replay(const ChoicePoint& point) {
    const Level& level = levels_[depth_];
    if (level.signature != signature(point)) [[unlikely]] {
      throw Nondeterminism(point.step, level.options(), point.options.size());
    }
    ++depth_;
    return level.chosen;
  }

  // Takes the default, or another option, at a point behind the prefix. Only a level that
  // `branches` will be advanced.
  std::size_t push_default(const ChoicePoint& point, bool branches) {
    const std::uint32_t first = default_option(point);
    return push(point, first, first, branches);
  }
  std::size_t push(const ChoicePoint& point, std::uint32_t first, std::uint32_t chosen,
                   bool branches) {
    RICERCAR_CHECK(point.options.size() <= 0xffff);
    levels_.push_back({signature(point), static_cast<std::uint16_t>(chosen),
                       static_cast<std::uint16_t>(first | (branches ? branch_bit : 0))});
    ++depth_;
    return chosen;
  }

  // Ends an execution of `steps` steps and moves on to the next one: the deepest level that
  // branches takes its next option, and the levels below it go. False if there is none.
  bool advance(std::uint64_t steps) {
    if (replaying()) {
      end_early(steps, levels_[depth_].options());
      return true;
    }
    while (!levels_.empty() && !levels_.back().advance()) levels_.pop_back();
    return !levels_.empty();
  }

  // The execution ended after `steps` steps, where a point with so many options had been before.
  // Not reported at once: a search that is being stopped may cut its last execution anywhere.
  void end_early(std::uint64_t steps, std::uint32_t options) { early_end_ = {steps, options}; }

  // --- Parts of the search ---

  // The levels from this one on that have an option left, from the top.
  std::vector<std::size_t> open_levels(std::size_t from) const {
    std::vector<std::size_t> result;
    for (std::size_t i = from; i < levels_.size(); ++i) {
      Level next = levels_[i];
      if (next.advance()) result.push_back(i);
    }
    return result;
  }
  // The rest of the search as far as it is below the first `fixed` levels: as it stands.
  std::string save(std::size_t fixed) const { return save(fixed, levels_); }
  // The same with the next option of the level, and nothing below it.
  std::string save_from_level(std::size_t at) const {
    std::vector<Level> levels(levels_.begin(),
                              levels_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    RICERCAR_CHECK(levels.back().advance());
    return save(at, std::move(levels));
  }
  void load(std::string_view saved) {
    ByteReader reader(saved);
    levels_ = reader.list<Level>();
    depth_ = 0;
    early_end_.reset();
  }

  std::size_t size() const { return levels_.size(); }
  std::uint32_t last_chosen() const { return levels_.back().chosen; }

  // The fraction of the tree that lies before the current execution in the order of the search, if
  // every option of a point that branches leads to equally much.
  double explored() const {
    double fraction = 0;
    double weight = 1;
    for (const Level& level : levels_) {
      if (!level.branches()) continue;
      weight /= level.options();
      fraction += weight * level.rank();
    }
    return fraction;
  }

 private:
  static constexpr std::uint16_t branch_bit = 0x8000;

  struct Level {
    // The number of options, and the low bits of the step: what must be the same again.
    std::uint32_t signature;
    std::uint16_t chosen;
    std::uint16_t first_and_branches;

    std::uint32_t options() const { return signature >> 16; }
    bool branches() const { return (first_and_branches & branch_bit) != 0; }
    std::uint32_t first() const { return first_and_branches & (branch_bit - 1); }
    // How many options were taken before the chosen one.
    std::uint32_t rank() const {
      if (chosen == first()) return 0;
      return chosen < first() ? chosen + 1 : chosen;
    }
    bool advance() {
      if (!branches()) return false;
      std::uint32_t next = chosen == first() ? 0 : chosen + 1;
      if (next == first()) ++next;
      chosen = static_cast<std::uint16_t>(next);
      return next < options();
    }
  };
  static_assert(sizeof(Level) == 8);

  struct EarlyEnd {
    std::uint64_t steps;
    std::uint32_t options;
  };

  static std::string save(std::size_t fixed, std::vector<Level> levels) {
    for (std::size_t i = 0; i < fixed; ++i) levels[i].first_and_branches &= branch_bit - 1;
    ByteWriter writer;
    writer.list(std::span<const Level>(levels));
    return writer.take();
  }

  static std::uint32_t signature(const ChoicePoint& point) {
    return point.options.size() << 16 | static_cast<std::uint16_t>(point.step);
  }

  std::vector<Level> levels_;
  std::size_t depth_ = 0;  // how many points of the current execution have been decided
  std::optional<EarlyEnd> early_end_;
};

}  // namespace ricercar::inline strategy
