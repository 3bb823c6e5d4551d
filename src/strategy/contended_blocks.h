// The blocks of the heap whose life is worth an order: one task frees it, another one uses or frees
// it, and neither has created or joined the other in between. All other blocks are used in peace.
//
// A block that is known once stays known. That is learned late, but not too late: what a reduction
// leaves out because two steps commute, it has run before in another order, and has learned from
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/dependence.h"

namespace ricercar::inline strategy {

class ContendedBlocks {
 public:
  template <typename Archive>
  void serialize(Archive& archive) {
    archive(numbers_);
  }

  // From a whole execution. True: more is known now.
  bool learn(Trace trace, HeapTrace heap);

  std::size_t size() const { return numbers_.size(); }
  // Their addresses, in the order in which they were learned.
  std::vector<std::uint64_t> all() const;
  void assign(const std::vector<std::uint64_t>& blocks);

  // As a step without a decision; nothing for a block that is no matter.
  std::optional<Step> step_of(const HeapUse& use) const;

 private:
  // The last time that a task touched a block.
  struct Touched {
    TaskId task;
    std::uint32_t step;
    bool frees;
  };
  // For each task how many of its steps another one knows to be over, because it was created after
  // them or has joined it.
  using Known = std::vector<std::uint32_t>;

  void follow(const Step& step, std::uint32_t at);
  void touch(const HeapUse& use);
  bool is_over(const Touched& earlier, TaskId task) const;
  void make_room(TaskId task);

  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;  // of contended blocks, by address
  // Of the execution.
  std::unordered_map<std::uint64_t, std::vector<Touched>> touched_;  // by block
  std::vector<Known> known_;                                         // by task
};

}  // namespace ricercar::inline strategy
