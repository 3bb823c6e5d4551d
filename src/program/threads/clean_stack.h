// A fiber's stack is the same at the start of each task: all zero, as the system gives it to a new
// thread. What a library finds there that reads a local variable without a value is then the same
// in every execution and in a replay. (The program's own local variables have values of their own:
// the compiler fills them, see cli/compiler_plan.cc.)
//
// It costs what was used, not what is there: everything below `Fiber::used` is zero. That mark is
// found without help from the processor, so it is found in three ways: writes of instrumented code
// lower it (note_stack_write); a little below it is looked at each time, which finds every deeper
// call that does not leave out more than that; and now and then the kernel is asked which pages
// exist.
#pragma once

#include <cstdint>

#include "threads/fiber.h"

namespace ricercar::inline threads {

// Before a task begins on it.
void clean_stack(Fiber& fiber);
// Only its first 512 bytes: where executions are so short that the rest would cost more than a
// percent of them.
void clean_top(const Fiber& fiber);

// A write of the task to its own stack.
inline void note_stack_write(Fiber& fiber, std::uint64_t address) {
  if (__builtin_expect(address < fiber.used, 0)) fiber.used = address;
}

}  // namespace ricercar::inline threads
