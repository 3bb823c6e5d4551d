#include "threads/heap_uses.h"

namespace ricercar::inline threads {

void HeapUses::begin_execution(const HeapMove& move) {
  move_ = &move;
  uses_.clear();
  last_ = {};
  ++execution_;
}

void HeapUses::look_up(TaskId task, std::uint64_t address, std::uint64_t step, std::uint64_t slot) {
  const HeapBlock block = heap_block_of(address);
  if (block.address == 0) return;
  last_ = {block.address, block.size, slot, task};
  Noted& noted = noted_.at(block.address, {});
  if (noted.execution == execution_ && noted.slot == slot && noted.task == task) return;
  noted = {execution_, slot, task};
  uses_.push_back({move_->undo(block.address), static_cast<std::uint32_t>(step), task, false});
}

void HeapUses::free(TaskId task, std::uint64_t block, std::uint64_t step) {
  last_ = {};
  uses_.push_back({move_->undo(block), static_cast<std::uint32_t>(step), task, true});
}

}  // namespace ricercar::inline threads
