// Which blocks of the program's heap each step has used or freed (HeapUse in model/trace.h), for
// strategies that reorder steps. In every slot a block is noted once for each task.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flat_map.h"
#include "model/trace.h"
#include "threads/memory/heap.h"

namespace ricercar::inline threads {

// A process that searches a function allocates further up once an execution was left in the middle,
// with its blocks. For what strategies remember of earlier executions the heap has not moved.
class HeapMove {
 public:
  void begin_search() { first_ = {}; }
  void begin_execution() {
    start_ = heap_execution_start();
    if (first_.small == 0) first_ = start_;
    has_moved_ = start_.small != first_.small || start_.large != first_.large;
  }

  bool has_moved() const { return has_moved_; }
  std::uint64_t undo(std::uint64_t address) const {
    if (!has_moved_ || !heap_contains(address)) return address;
    if (address >= heap_large_start) {
      return address < start_.large ? address : address - (start_.large - first_.large);
    }
    return address < start_.small ? address : address - (start_.small - first_.small);
  }

 private:
  HeapStart first_, start_;
  bool has_moved_ = false;
};

class HeapUses {
 public:
  void begin_execution(const HeapMove& move);

  // The task uses the memory at an address in the step `step` of the slot that begins at `slot`.
  void use(TaskId task, std::uint64_t address, std::uint64_t step, std::uint64_t slot) {
    const bool is_same =
        address - last_.low < last_.size && last_.slot == slot && last_.task == task;
    if (!is_same) look_up(task, address, step, slot);
  }
  void free(TaskId task, std::uint64_t block, std::uint64_t step);

  HeapTrace all() const { return uses_; }

 private:
  struct Noted {
    std::uint64_t execution = 0;
    std::uint64_t slot = 0;
    TaskId task = no_task;
  };
  struct Last {
    std::uint64_t low = 0, size = 0, slot = 0;
    TaskId task = no_task;
  };

  void look_up(TaskId task, std::uint64_t address, std::uint64_t step, std::uint64_t slot);

  std::vector<HeapUse> uses_;
  const HeapMove* move_ = nullptr;
  FlatMap<Noted> noted_;  // by block
  Last last_;
  std::uint64_t execution_ = 0;
};

}  // namespace ricercar::inline threads
