#include "threads/call_stacks.h"

#include <unwind.h>

#include <algorithm>
#include <utility>

#include "base/random.h"
#include "threads/fiber.h"
#include "threads/own_code.h"

namespace ricercar {

namespace {

constexpr std::uint32_t most_frames = 64;
constexpr std::size_t most_frames_kept = 1 << 21;

}  // namespace

struct CallStacks::Unwinding {
  const CallStacks* known = nullptr;
  StackRef last = {};            // it may go on as this one does
  std::uint32_t last_frame = 0;  // the ones before it belong to calls that have returned
  std::uint64_t frames[most_frames];
  std::uint64_t addresses[most_frames];
  const std::uint64_t* slots[most_frames];
  std::uint32_t count = 0;

  // The runtime's own frames are not the program's business.
  static _Unwind_Reason_Code add(_Unwind_Context* context, void* argument) {
    auto& unwinding = *static_cast<Unwinding*>(argument);
    // A signal comes before an instruction; other places are those behind a call.
    int is_before = 0;
    const std::uint64_t found = _Unwind_GetIPInfo(context, &is_before);
    const std::uint64_t address = is_before != 0 && found != 0 ? found + 1 : found;
    // What the unwinder calls the canonical frame address of a frame is that of the one it called.
    const std::uint64_t called = _Unwind_GetCFA(context);
    const std::uint32_t count = unwinding.count;
    if (count > 0 && unwinding.addresses[count - 1] == 0) unwinding.addresses[count - 1] = called;
    if (address == 0) return _URC_END_OF_STACK;
    if (is_own_code(address)) return _URC_NO_REASON;
    if (count == most_frames) return _URC_END_OF_STACK;
    unwinding.frames[count] = address;
    unwinding.addresses[count] = 0;
    // The call has put the return address there.
    unwinding.slots[count] = reinterpret_cast<const std::uint64_t*>(called) - 1;
    if (unwinding.goes_on_as_last()) return _URC_END_OF_STACK;
    ++unwinding.count;
    return _URC_NO_REASON;
  }

  // Whether the frame at `count` is one of the last stack, with the same callers: then they are
  // added.
  bool goes_on_as_last() {
    const std::uint32_t end = last.first + last.size;
    const auto& known_slots = known->slots_;
    while (last_frame < end && known_slots[last_frame] < slots[count]) ++last_frame;
    if (last_frame == end || known_slots[last_frame] != slots[count]) return false;
    if (known->frames_[last_frame] != frames[count]) return false;
    if (is_cut_short() || !known->is_current_from(last, last_frame)) return false;
    for (; last_frame < end && count < most_frames; ++last_frame, ++count) {
      frames[count] = known->frames_[last_frame];
      addresses[count] = known->frame_addresses_[last_frame];
      slots[count] = known_slots[last_frame];
    }
    return true;
  }

  // The last stack was deeper than what is kept of it, and its rest would not be enough.
  bool is_cut_short() const { return last.size == most_frames && count < last_frame - last.first; }
};

CallStacks::Number CallStacks::current(std::uint64_t site) {
  const auto depth = reinterpret_cast<std::uint64_t>(__builtin_frame_address(0));
  if (recent_.empty()) recent_.resize(sets);
  Set& candidates = recent_[mix64(site ^ mix64(depth)) % sets];
  for (std::size_t i = 0; i < ways && candidates[i] != none; ++i) {
    if (!is_current(candidates[i])) continue;
    std::rotate(candidates.begin(), candidates.begin() + i, candidates.begin() + i + 1);
    return last_ = candidates[0];
  }
  if (is_full()) return of_site(site);
  const Number found = unwound();
  if (found == none) return found;
  std::rotate(candidates.begin(), candidates.end() - 1, candidates.end());
  return candidates[0] = found;
}

// A frame that was left and entered again from elsewhere has another return address.
bool CallStacks::is_current(Number stack) const {
  const StackRef frames = all_[stack - 1];
  return is_current_from(frames, frames.first);
}

bool CallStacks::is_current_from(const StackRef& stack, std::uint32_t frame) const {
  for (std::uint32_t i = frame; i < stack.first + stack.size; ++i) {
    if (*slots_[i] != frames_[i]) return false;
  }
  return true;
}

CallStacks::Number CallStacks::unwound() {
  Unwinding unwinding;
  unwinding.known = this;
  unwinding.last = (*this)[last_];
  unwinding.last_frame = unwinding.last.first;
  // The unwinder takes locks and initialises itself once, which is not the program's doing.
  const bool was_controlled = std::exchange(controlled_flag, false);
  _Unwind_Backtrace(Unwinding::add, &unwinding);
  controlled_flag = was_controlled;
  return last_ = intern(unwinding);
}

CallStacks::Number CallStacks::of_site(std::uint64_t site) {
  if (site == 0) return none;
  static const std::uint64_t nowhere = 0;
  Unwinding unwinding;
  unwinding.frames[0] = site;
  unwinding.addresses[0] = 0;
  unwinding.slots[0] = &nowhere;
  unwinding.count = 1;
  return intern(unwinding);
}

CallStacks::Number CallStacks::intern(const Unwinding& unwinding) {
  const std::uint32_t count = unwinding.count;
  if (count == 0) return none;
  std::uint64_t hash = mix64(count ^ reinterpret_cast<std::uint64_t>(unwinding.slots[0]));
  for (std::uint32_t i = 0; i < count; ++i) {
    hash = mix64(mix64(hash ^ unwinding.frames[i]) ^ unwinding.addresses[i]);
  }
  const auto [known, is_new] = known_.try_emplace(hash);
  if (!is_new) return known->second;
  all_.push_back({static_cast<std::uint32_t>(frames_.size()), count});
  frames_.insert(frames_.end(), unwinding.frames, unwinding.frames + count);
  frame_addresses_.insert(frame_addresses_.end(), unwinding.addresses, unwinding.addresses + count);
  slots_.insert(slots_.end(), unwinding.slots, unwinding.slots + count);
  return known->second = static_cast<Number>(all_.size());
}

bool CallStacks::is_full() const { return frames_.size() > most_frames_kept; }

}  // namespace ricercar
