// The call stacks of a recorded execution, each kept once.
//
// Unwinding costs microseconds, and a program makes millions of accesses from a few thousand
// stacks. So a stack that was seen before is looked for first: by where the runtime was called from
// and how deep the machine stack was. It is the same if every return address is still where it was
// found then; that is looked at, all of them, so a stack is never taken for another one. A new
// stack is unwound only as far as it differs from the last one: recursion makes a new one at every
// turn.
//
// What it keeps is bounded. When it is full a new stack is its innermost address only.
//
// Not thread-safe: one kernel thread runs at a time.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/recording.h"

namespace ricercar {

class CallStacks {
 public:
  using Number = std::uint32_t;
  static constexpr Number none = 0;

  // Where the program is now; `site` is the return address of the hook that was called.
  Number current(std::uint64_t site);
  // The same without looking for a known one: where a signal may have come in between.
  Number unwound();
  // A place without a stack.
  Number of_site(std::uint64_t site);

  // Stacks of the machine may have gone, and others have come where they were.
  void stacks_changed() {
    recent_ = {};
    last_ = none;
  }

  StackRef operator[](Number stack) const { return stack == none ? StackRef{} : all_[stack - 1]; }
  const std::vector<std::uint64_t>& frames() const { return frames_; }
  const std::vector<std::uint64_t>& frame_addresses() const { return frame_addresses_; }

 private:
  struct Unwinding;
  static constexpr std::size_t ways = 4;
  static constexpr std::size_t sets = 1 << 14;
  using Set = std::array<Number, ways>;

  bool is_current(Number stack) const;
  bool is_current_from(const StackRef& stack, std::uint32_t frame) const;
  Number intern(const Unwinding& unwinding);
  bool is_full() const;

  std::vector<StackRef> all_;
  std::vector<std::uint64_t> frames_;
  std::vector<std::uint64_t> frame_addresses_;
  std::vector<const std::uint64_t*> slots_;          // where each return address was
  std::unordered_map<std::uint64_t, Number> known_;  // by a hash of the frames
  std::vector<Set> recent_;  // by a hash of the place; the one that came last is the first
  Number last_ = none;       // the last one that was current
};

}  // namespace ricercar
