// Random numbers for the program under test: seeded, and the same in every execution. Each task has
// a stream of its own, so that what it draws does not depend on when others draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "model/ids.h"

namespace ricercar::inline threads {

class RandomStreams {
 public:
  // All streams start again.
  void begin_execution(std::uint64_t seed) {
    seed_ = seed;
    ++execution_;
  }
  std::uint64_t next(TaskId task);
  // Once in an execution: nobody has drawn from the C library's generators in it.
  bool library_is_fresh() { return std::exchange(last_library_use_, execution_) != execution_; }

 private:
  struct Stream {
    std::uint64_t execution = 0;  // the generator counts only if this is the running one
    Random generator{0};
  };

  Stream streams_[max_tasks];
  std::uint64_t seed_ = 1;
  std::uint64_t execution_ = 1;         // counts them
  std::uint64_t last_library_use_ = 0;  // the execution
};

// The next number of the running task.
std::uint64_t random_number();
// Fills memory with the running task's next numbers.
void fill_randomly(void* memory, std::size_t size);

}  // namespace ricercar::inline threads
