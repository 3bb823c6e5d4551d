#include "threads/call_stacks.h"

#include <unwind.h>

#include <algorithm>
#include <utility>

#include "threads/fiber.h"
#include "threads/own_code.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t most_frames_unwound = 1 << 16;

// The unwinder takes locks and initialises itself once, which is not the program's doing.
class Uncontrolled {
 public:
  Uncontrolled() : before_(std::exchange(controlled_flag, false)) {}
  ~Uncontrolled() { controlled_flag = before_; }
  Uncontrolled(const Uncontrolled&) = delete;
  Uncontrolled& operator=(const Uncontrolled&) = delete;

 private:
  bool before_;
};

}  // namespace

struct CallStacks::Unwinding {
  std::vector<Frame>& frames;
  bool is_cut = false;

  // The runtime's own frames are not the program's business.
  static _Unwind_Reason_Code add(_Unwind_Context* context, void* argument) {
    auto& unwinding = *static_cast<Unwinding*>(argument);
    auto& frames = unwinding.frames;
    // A signal comes before an instruction; other places are those behind a call.
    int is_before = 0;
    const std::uint64_t found = _Unwind_GetIPInfo(context, &is_before);
    const std::uint64_t place = is_before != 0 && found != 0 ? found + 1 : found;
    // What the unwinder calls the canonical frame address of a frame is that of the one it called.
    const std::uint64_t called = _Unwind_GetCFA(context);
    if (!frames.empty() && frames.back().address == 0) frames.back().address = called;
    if (place == 0) return _URC_END_OF_STACK;
    if (is_own_code(place)) return _URC_NO_REASON;
    unwinding.is_cut = frames.size() == most_frames_unwound;
    if (unwinding.is_cut) return _URC_END_OF_STACK;
    // The call has put the return address there.
    frames.push_back({called - 8, place});
    return _URC_NO_REASON;
  }
};

CallStacks::Path& CallStacks::path_of(TaskId task) {
  if (paths_.size() <= index(task)) paths_.resize(index(task) + 1);
  return paths_[index(task)];
}

// Whether a frame of the path, which was found again where it was, is the same call: then so are
// all around it. A function that was entered anew in its place would begin above its callee, at
// least 16 bytes above the slot: the return address to its own caller is between them.
inline bool CallStacks::goes_on(const Path& path, const Frame& known, std::uint64_t slot,
                                const FrameRules::Rule& rule) {
  return known.slot == slot && known.code == rule.code && rule.code->announces_entry &&
         path.entered_below <= slot + 8;
}

// The shortest way, for code that goes on in the function of the last stack.
inline bool CallStacks::stays(Path& path, const MachineFrame& frame) {
  if (path.frames.empty()) return false;
  const FrameRules::Rule* rule = rules_.find_recent(frame.place);
  Frame& known = path.frames.back();
  if (rule == nullptr || !goes_on(path, known, frame.slot(), *rule)) return false;
  // Without room the inner frames are missing.
  if (known.number != FrameTree::none) return false;
  path.entered_below = 0;
  if (known.place == frame.place) return true;
  known.place = frame.place;
  path.number = number_of(path);
  return true;
}

// Not inlined: it has to have a frame.
[[gnu::noinline]] CallStacks::Number CallStacks::current(TaskId task, std::uint64_t site) {
  MachineFrame frame = callers_frame();
  Path& path = path_of(task);
  const bool is_out = own_frames_.follow(frame, site);
  if (is_out && stays(path, frame)) return path.number;
  const Uncontrolled uncontrolled;
  const bool is_walked = (is_out || own_frames_.walk(frame, site, rules_)) && walk(path, frame);
  return is_walked ? take_over(path, site) : unwound(task);
}

// False: there is a frame on the way for which the rules are not enough.
bool CallStacks::walk(const Path& path, MachineFrame frame) {
  fresh_.clear();
  kept_ = path.frames.size();
  while (frame.place != 0) {
    const FrameRules::Rule* rule = rules_.find(frame.place);
    if (rule == nullptr) return false;
    const std::uint64_t address = frame.canonical_address(*rule);
    if (address <= frame.stack) return false;
    if (!own_.contains(frame.place)) {
      fresh_.push_back({frame.slot(), frame.place, address, rule->code});
      if (meets(path, frame.slot(), *rule)) return true;
    }
    frame.go_to_caller(*rule);
  }
  kept_ = 0;
  return true;
}

// Whether the frame is one of the path. It may have come to another place in the meantime.
bool CallStacks::meets(const Path& path, std::uint64_t slot, const FrameRules::Rule& rule) {
  while (kept_ > 0 && path.frames[kept_ - 1].slot < slot) --kept_;
  if (kept_ == 0 || !goes_on(path, path.frames[kept_ - 1], slot, rule)) return false;
  --kept_;
  return true;
}

CallStacks::Number CallStacks::take_over(Path& path, std::uint64_t site) {
  const bool has_room = replace_inner_frames(path);
  return path.number = has_room ? number_of(path) : of_site(site);
}

CallStacks::Number CallStacks::number_of(const Path& path) {
  const std::size_t depth = path.frames.size();
  if (depth == 0) return none;
  const Frame& innermost = path.frames.back();
  const FrameTree::Number outer = depth == 1 ? FrameTree::none : path.frames[depth - 2].number;
  const FrameTree::Number place = tree_.place(outer, innermost.place, innermost.address);
  if (place == FrameTree::none) return of_site(innermost.place);
  return outer | (Number{place} << 32U);
}

// The inner frames of the path become the fresh ones. False: there is no room for them.
bool CallStacks::replace_inner_frames(Path& path) {
  path.entered_below = 0;
  auto& frames = path.frames;
  frames.resize(kept_);
  for (std::size_t left = fresh_.size(); left > 1; --left) {
    Frame& frame = fresh_[left - 1];
    const FrameTree::Number outer = frames.empty() ? FrameTree::none : frames.back().number;
    frame.number = tree_.frame(outer, frame.place, frame.address);
    if (frame.number == FrameTree::none) return false;
    frames.push_back(frame);
  }
  if (!fresh_.empty()) frames.push_back(fresh_.front());
  return true;
}

CallStacks::Number CallStacks::unwound(TaskId task) {
  const Uncontrolled uncontrolled;
  Path& path = path_of(task);
  fresh_.clear();
  kept_ = 0;
  Unwinding unwinding{fresh_};
  _Unwind_Backtrace(Unwinding::add, &unwinding);
  for (Frame& frame : fresh_) {
    const FrameRules::Rule* rule = rules_.find(frame.place);
    if (rule != nullptr) frame.code = rule->code;
  }
  const Number found = take_over(path, fresh_.empty() ? 0 : fresh_.front().place);
  // Its outermost frame is none: nothing can go on from there.
  if (unwinding.is_cut) path = {};
  return found;
}

CallStacks::Number CallStacks::of_site(std::uint64_t site) {
  return site == 0 ? none : Number{tree_.lone_place(site)} << 32U;
}

// No function whose beginning is not known can be told from its caller: then nothing is unchanged.
void CallStacks::function_entered(TaskId task, const MachineFrame& frame) {
  const Uncontrolled uncontrolled;
  const FrameRules::Rule* rule = rules_.find(frame.place);
  if (rule != nullptr) rule->code->announces_entry = true;
  const std::uint64_t address =
      rule == nullptr ? ~std::uint64_t{0} : frame.canonical_address(*rule);
  Path& path = path_of(task);
  path.entered_below = std::max(path.entered_below, address);
}

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
