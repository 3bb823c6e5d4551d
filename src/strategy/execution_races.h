// What an execution tells a reduction: its happens-before relation, the races of its new part, and
// how it ended. Kept for as long as executions share a prefix.
//
// An execution that was cut at the step limit has no end: what each task would have done next races
// with what came before, as if it had come to it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/outcome.h"
#include "strategy/happens_before.h"

namespace ricercar::inline strategy {

class ExecutionRaces {
 public:
  // In which order the races of the tasks that were left come: as the tasks do, or first of those
  // that could not go on.
  enum class Left { by_task, blocked_first };
  explicit ExecutionRaces(Left left = Left::by_task) : left_order_(left) {}

  // Of what is over: how slots were ordered, which the next execution begins with.
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(order_, plain(left_), at_limit_, is_at_limit_, ends_early_);
  }

  // What the world tells before the end of an execution.
  void set_left(Trace pending) { left_.assign(pending.begin(), pending.end()); }
  void set_heap(HeapTrace heap) { order_.set_heap(heap); }

  // Forgets the slots that begin at this step or later.
  void rewind(std::uint64_t step);
  // Goes on to the end of the execution. `is_given_up`: the search itself has ended it. So many
  // steps are known, even if it was not told of them.
  void extend(Trace trace, const Outcome& outcome, bool is_given_up = false,
              std::uint64_t known = 0);
  // The same if all of it is known.
  void catch_up(Trace trace) { order_.catch_up(trace); }
  // The execution is over, and what the world has told of it is not valid any more.
  void forget();
  // Nothing has been run.
  void restart() {
    rewind(0);
    at_limit_ = 0;
  }

  HappensBefore& order() { return order_; }
  const HappensBefore& order() const { return order_; }
  const std::vector<HappensBefore::Race>& races() const { return races_; }
  // Calls visit(races) for those of each step, which could come before several: from the last of
  // them to the first.
  template <typename Visit>
  void for_each_step(Visit visit);
  Trace trace() const { return trace_; }
  const std::vector<Step>& left() const { return left_; }

  bool is_at_limit() const { return is_at_limit_; }
  // So many executions were cut at the limit. Then nothing is proved, and the text says so.
  std::uint64_t at_limit() const { return at_limit_; }
  void add_at_limit(std::uint64_t executions) { at_limit_ += executions; }
  std::string limited_text(const std::string& what, std::uint64_t count) const;
  // The last slot ended the execution (a bug, exit) while others had something left to do, or the
  // limit did.
  bool ends_early() const { return ends_early_; }
  bool ends_with_exit() const;
  std::uint32_t step_of(std::uint32_t slot) const { return order_.slots()[slot].step; }
  std::uint32_t last_slot() const;
  // The first of the slots, up to the last one, that the task of the last one ran without a switch.
  std::uint32_t last_block() const { return order_.block_of(last_slot()); }
  // Where the slot begins that a step belongs to.
  std::uint32_t slot_start(std::uint32_t step) const;

 private:
  void add_left(bool blocked, bool pending);

  const Left left_order_;
  HappensBefore order_;
  std::vector<HappensBefore::Race> races_;
  std::vector<Step> left_;
  Trace trace_;
  std::uint64_t at_limit_ = 0;
  bool is_at_limit_ = false;
  bool ends_early_ = false;
};

template <typename Visit>
void ExecutionRaces::for_each_step(Visit visit) {
  using Race = HappensBefore::Race;
  for (auto i = races_.begin(); i != races_.end();) {
    const auto end = std::find_if(i, races_.end(), [&](const Race& race) {
      return race.second != i->second || race.task != i->task;
    });
    std::sort(i, end, [](const Race& a, const Race& b) { return a.first > b.first; });
    visit(std::span<const Race>(i, end));
    i = end;
  }
}

}  // namespace ricercar::inline strategy
