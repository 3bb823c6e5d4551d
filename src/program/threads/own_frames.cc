#include "threads/own_frames.h"

namespace ricercar::inline threads {

bool OwnFrames::walk(Way& way, MachineFrame& frame, FrameRules& rules) const {
  const std::uint64_t start = frame.stack;
  Way walked;
  walked.start = frame.place;
  bool is_fixed = true;
  while (frame.place != 0 && own_.contains(frame.place)) {
    const FrameRules::Rule* rule = rules.find(frame.place);
    if (rule == nullptr) return false;
    const std::uint64_t canonical = frame.canonical_address(*rule);
    if (canonical <= frame.stack) return false;
    // Who has a frame pointer may have frames of many sizes.
    const bool is_from_base = rule->is_from_base;
    if (rule->saved_base != 0) {
      walked.base = static_cast<std::int64_t>(canonical - start) + rule->saved_base;
    }
    frame.go_to_caller(*rule);
    walked.end = frame.slot() - start;
    is_fixed = is_fixed && !is_from_base && walked.count < most_frames;
    if (is_fixed) walked.calls[walked.count++] = {walked.end, frame.place};
  }
  way = is_fixed && frame.place != 0 ? walked : Way{};
  return true;
}

}  // namespace ricercar::inline threads
