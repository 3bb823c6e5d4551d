// The unwinding rules of the places that were met, each read from the tables once, and a walk over
// the frames of the machine stack by them: some nanoseconds a frame.
//
// Not thread-safe: one kernel thread runs at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/address_range.h"
#include "threads/memory/external_state.h"

namespace ricercar::inline threads {

// How to get from a frame of the machine stack to its caller, from the tables that compilers write
// for exceptions (.eh_frame; the DWARF standard, version 5, section 6.4, and the Linux Standard
// Base on how it is stored). Only what nearly all code needs: a frame that is found from the stack
// pointer or from the frame pointer. Everything else is left to the unwinder of the C library's
// companion, which can do all and takes a hundred times as long. x86-64.
struct UnwindRule {
  std::uint64_t function = 0;   // where the code begins that the table is for
  std::int32_t offset = 0;      // the canonical frame address is so far above its base
  std::int32_t saved_base = 0;  // there, from that address, is the caller's frame pointer; 0: kept
  bool is_from_base = false;    // the base is the frame pointer, not the stack pointer
  bool is_outermost = false;    // nobody has called this
};

// For a frame whose next instruction is behind the call at `place`. Nothing: there is no table, or
// one that says more than a rule can.
std::optional<UnwindRule> find_unwind_rule(std::uint64_t place);

// A frame: the registers that its code finds when the call at `place` returns.
struct MachineFrame {
  std::uint64_t place = 0;
  std::uint64_t stack = 0;
  std::uint64_t base = 0;

  std::uint64_t canonical_address(const UnwindRule& rule) const {
    return (rule.is_from_base ? base : stack) + static_cast<std::int64_t>(rule.offset);
  }
  // Where the return address to this frame's code was found.
  std::uint64_t slot() const { return stack - 8; }
  void go_to_caller(const UnwindRule& rule);
};

class FrameRules {
 public:
  // The same one as long as there are rules.
  struct Function {
    bool announces_entry = false;  // it calls __tsan_func_entry
  };
  struct Rule : UnwindRule {
    std::uint64_t place = 0;
    Function* code = nullptr;  // null: there is no rule for this place
  };

  // Null: none that is simple enough.
  const Rule* find(std::uint64_t place) {
    const Rule* recent = find_recent(place);
    return __builtin_expect(recent != nullptr, 1) ? recent : look_up(place);
  }
  // The same without a look into the tables, which takes locks. Null: that would be needed.
  const Rule* find_recent(std::uint64_t place) const {
    const Rule& recent = recent_[slot_of(place)];
    return recent.place == place && seen_closed_ == closed_libraries ? &recent : nullptr;
  }

 private:
  static constexpr unsigned recent_bits = 12;
  static std::size_t slot_of(std::uint64_t place) {
    return (place * 0x9e3779b97f4a7c15ULL) >> (64 - recent_bits);
  }
  const Rule* look_up(std::uint64_t place);
  Rule read(std::uint64_t place);
  bool is_in_library(std::uint64_t place);
  void forget();

  std::vector<Rule> recent_ = std::vector<Rule>(std::size_t{1} << recent_bits);
  std::unordered_map<std::uint64_t, Rule> rules_;
  std::unordered_map<std::uint64_t, Function> functions_;
  std::vector<AddressRange> libraries_;
  std::uint64_t seen_closed_ = 0;
};

inline void MachineFrame::go_to_caller(const UnwindRule& rule) {
  const std::uint64_t canonical = canonical_address(rule);
  if (rule.saved_base != 0) {
    const std::uint64_t at = canonical + static_cast<std::int64_t>(rule.saved_base);
    base = *reinterpret_cast<const std::uint64_t*>(at);
  }
  stack = canonical;
  place = rule.is_outermost ? 0 : *reinterpret_cast<const std::uint64_t*>(slot());
}

// The frame of the caller of the function that this is in. A function that asks for its own frame
// keeps the frame pointer of its caller there, and behind it is the return address.
[[gnu::always_inline]] inline MachineFrame callers_frame() {
  const auto* own = static_cast<const std::uint64_t*>(__builtin_frame_address(0));
  return {own[1], reinterpret_cast<std::uint64_t>(own + 2), own[0]};
}

}  // namespace ricercar::inline threads
