// The way out of the runtime's own frames. There are a few ways from the hooks to the recorder, and
// every function on them has a frame of one size: a way that was walked once is known again by its
// return addresses.
//
// Not thread-safe: one kernel thread runs at a time.
#pragma once

#include <array>
#include <cstdint>

#include "threads/frame_rules.h"
#include "threads/own_code.h"

namespace ricercar::inline threads {

class OwnFrames {
 public:
  // From a frame of the runtime to the innermost one of the program. False: the way is not known;
  // the frame stays. `site` is where a hook was called, most likely.
  bool follow(MachineFrame& frame, std::uint64_t site) const {
    return follow(ways_[index_of(site)], frame);
  }
  // The same by the rules, or to the end of the stack. False: they are not enough.
  bool walk(MachineFrame& frame, std::uint64_t site, FrameRules& rules) {
    return walk(ways_[index_of(site)], frame, rules);
  }

 private:
  static constexpr std::uint32_t most_frames = 8;
  static constexpr std::int64_t kept = -1;

  struct Way {
    struct Call {
      std::uint64_t offset = 0;  // from the stack pointer: where the return address is
      std::uint64_t place = 0;
    };
    std::uint64_t start = 0;  // the place in the runtime
    std::uint32_t count = 0;  // of calls, with the one of the program; 0: none is known
    std::array<Call, most_frames> calls;
    std::uint64_t end = 0;     // the return address to the program
    std::int64_t base = kept;  // where the program's frame pointer is, if it was not kept
  };

  static std::uint64_t word_at(std::uint64_t address) {
    return *reinterpret_cast<const std::uint64_t*>(address);
  }
  std::size_t index_of(std::uint64_t site) const { return (site ^ (site >> 6U)) % ways_.size(); }
  bool follow(const Way& way, MachineFrame& frame) const;
  bool walk(Way& way, MachineFrame& frame, FrameRules& rules) const;

  const AddressRange own_ = own_range();

  std::array<Way, 64> ways_;
};

// Each return address proves that the next frame is where it is expected.
inline bool OwnFrames::follow(const Way& way, MachineFrame& frame) const {
  if (way.count == 0 || way.start != frame.place) return false;
  for (std::uint32_t i = 1; i < way.count; ++i) {
    if (word_at(frame.stack + way.calls[i - 1].offset) != way.calls[i - 1].place) return false;
  }
  const std::uint64_t place = word_at(frame.stack + way.end);
  if (place == 0 || own_.contains(place)) return false;
  if (way.base != kept) frame.base = word_at(frame.stack + static_cast<std::uint64_t>(way.base));
  frame.place = place;
  frame.stack += way.end + 8;
  return true;
}

}  // namespace ricercar::inline threads
