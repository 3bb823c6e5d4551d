// Leads an execution along the decisions that a wake-up tree has planned for it, and knows which
// tasks sleep on the way. It takes notice of every slot, also of those in which nothing was to be
// decided.
#pragma once

#include <optional>

#include "strategy/contended_blocks.h"
#include "strategy/decision_points.h"
#include "strategy/sleep_set.h"
#include "strategy/wakeup_tree.h"

namespace ricercar::inline strategy {

// Where the slot ends that begins at this step.
inline std::uint64_t slot_end(Trace trace, std::uint64_t start) {
  std::uint64_t end = start + 1;
  while (end < trace.size() && !is_decided(trace[end])) ++end;
  return end;
}

class WakeupGuide {
 public:
  // Both must outlive the guide.
  WakeupGuide(WakeupTrees& trees, const ContendedBlocks& blocks) : trees_(trees), blocks_(blocks) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(decisions_, sleep_, seen_, decided_, has_woken_sleeper_);
  }

  // From the slot that begins at this step on: the decisions to take, and who sleeps.
  void start(std::uint64_t step, std::uint32_t decisions, std::span<const Sleeper> sleepers) {
    lose();
    decisions_ = decisions;
    seen_ = decided_ = step;
    has_woken_sleeper_ = false;
    sleep_.assign(sleepers);
  }

  // What was planned is not possible; what can be done from here is still to be explored.
  void lose() {
    trees_.drop(decisions_);
    decisions_ = no_index;
  }

  // Takes notice of the slots since the last point. False: a task ran that sleeps.
  bool follow(const ChoicePoint& point) {
    const bool in_slot = point.kind == ChoiceKind::value;
    if (decisions_ == no_index && sleep_.empty()) {
      go_to(point, in_slot);
    } else {
      follow_slots(point, in_slot);
    }
    if (!in_slot) decided_ = point.step;
    return !has_woken_sleeper_;
  }

  struct Decision {
    std::uint16_t choice;
    std::uint32_t others;  // that were planned for the same point
  };

  // What is planned for the point, if it is possible.
  std::optional<Decision> take(const ChoicePoint& point) {
    if (decisions_ == no_index) return std::nullopt;
    const WakeupTrees::Node& wanted = trees_[decisions_];
    if (wanted.is_value != (point.kind == ChoiceKind::value) || !offers(point, wanted.choice)) {
      lose();
      return std::nullopt;
    }
    Decision decision{wanted.choice, decisions_};
    decisions_ = trees_.take(decision.others, decisions_);
    return decision;
  }

  const SleepSet& sleep() const { return sleep_; }

  // An option whose task does not sleep, `wanted` if that is one; no_index: all sleep.
  std::uint32_t awake_option(const ChoicePoint& point, std::uint32_t wanted) const {
    if (sleep_.empty()) return wanted;
    std::uint32_t found = no_index;
    point.options.for_each([&](const Option& option, std::uint32_t i) {
      if (sleep_.contains(static_cast<std::uint16_t>(index(option.task)))) return;
      if (found == no_index || i == wanted) found = i;
    });
    return found;
  }

 private:
  void go_to(const ChoicePoint& point, bool in_slot) {
    seen_ = point.step;
    while (in_slot && seen_ > 0 && !is_decided(point.trace[--seen_])) {
    }
  }

  void follow_slots(const ChoicePoint& point, bool in_slot) {
    while (seen_ < point.step) {
      const std::uint64_t start = seen_;
      const std::uint64_t end = slot_end(point.trace, start);
      const bool complete = end < point.step || !in_slot;
      if (start != decided_) follow_decision(point.trace[start]);
      if (!complete) {
        decided_ = start;
        return;
      }
      notice(point.trace.subspan(start, end - start), heap_between(point.heap, start, end));
      seen_ = end;
    }
  }

  // Nothing was to be decided; if something is planned, it must be this.
  void follow_decision(const Step& step) {
    if (decisions_ == no_index || !is_decided(step)) return;
    const std::uint32_t wanted =
        trees_.find(decisions_, static_cast<std::uint16_t>(index(step.task)), false);
    if (wanted == no_index) return lose();
    const std::uint32_t next = trees_.take(decisions_, wanted);
    trees_.drop(decisions_);
    decisions_ = next;
  }

  void notice(Trace slot, HeapTrace heap) {
    if (sleep_.empty()) return;
    const auto task = static_cast<std::uint16_t>(index(slot[0].task));
    if (is_decided(slot[0]) && sleep_.contains(task)) has_woken_sleeper_ = true;
    Footprint footprint;
    for (const Step& step : slot) footprint.add(step, is_decided(step));
    for (const HeapUse& use : heap) {
      if (const auto step = blocks_.step_of(use)) footprint.add(*step, false);
    }
    sleep_.wake(task, footprint);
  }

  WakeupTrees& trees_;
  const ContendedBlocks& blocks_;
  std::uint32_t decisions_ = no_index;  // to take next
  SleepSet sleep_;
  std::uint64_t seen_ = 0;                     // steps that decisions_ and sleep_ know about
  std::uint64_t decided_ = ~std::uint64_t{0};  // the step of the last decision at a point
  bool has_woken_sleeper_ = false;
};

}  // namespace ricercar::inline strategy
