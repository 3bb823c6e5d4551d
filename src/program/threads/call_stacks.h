// The call stacks of a recorded execution.
//
// A stack is unwound only as far as it can differ from the last one of its task. For that the
// functions that announce their entry are watched: who is where it was, and has not been entered
// anew since, is the same call, and its callers are what they were. Code that announces nothing is
// unwound again every time. A frame that has gone without a word (longjmp, an exception, a change
// of stacks) is not met by the unwinding, or what stands in its place has been entered.
//
// What it keeps is bounded. When it is full a new stack is its innermost address only.
//
// Not thread-safe: one kernel thread runs at a time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/recording.h"
#include "threads/frame_rules.h"
#include "threads/frame_tree.h"
#include "threads/own_code.h"

namespace ricercar::inline threads {

// The way out of the runtime's own frames. There are a few ways from the hooks to the recorder, and
// every function on them has a frame of one size: a way that was walked once is known again by its
// return addresses.
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

class CallStacks {
 public:
  using Number = std::uint64_t;
  static constexpr Number none = 0;

  // Where the task, which runs, is now; `site` is the return address of the hook that was called.
  Number current(TaskId task, std::uint64_t site);
  // The same by the complete unwinder: where a signal may have come in between.
  Number unwound(TaskId task);
  // A place without a stack.
  Number of_site(std::uint64_t site);

  // The task, which runs, has called a function that has got as far as `frame`.
  void function_entered(TaskId task, const MachineFrame& frame);
  // It has a stack of its own, which may have been another one's.
  void task_created(TaskId task) { path_of(task) = {}; }

  // To be kept in a recording until it is finished.
  StackRef operator[](Number stack) const {
    return {static_cast<std::uint32_t>(stack), static_cast<std::uint32_t>(stack >> 32U)};
  }
  void finish(Recording& recording) const { tree_.finish(recording); }

 private:
  struct Frame {
    std::uint64_t slot = 0;  // where the return address was
    std::uint64_t place = 0;
    std::uint64_t address = 0;
    const FrameRules::Function* code = nullptr;  // null: unknown
    FrameTree::Number number = FrameTree::none;  // the innermost frame has none
  };
  // The last stack of a task, outermost first.
  struct Path {
    std::vector<Frame> frames;
    std::uint64_t entered_below = 0;  // no function that was entered since begins above this
    Number number = none;             // of the stack
  };
  struct Unwinding;

  Path& path_of(TaskId task);
  bool walk(const Path& path, MachineFrame frame);
  bool meets(const Path& path, std::uint64_t slot, const FrameRules::Rule& rule);
  static bool goes_on(const Path& path, const Frame& known, std::uint64_t slot,
                      const FrameRules::Rule& rule);
  bool stays(Path& path, const MachineFrame& frame);
  Number take_over(Path& path, std::uint64_t site);
  Number number_of(const Path& path);
  bool replace_inner_frames(Path& path);

  const AddressRange own_ = own_range();
  FrameRules rules_;
  FrameTree tree_;
  OwnFrames own_frames_;
  std::vector<Path> paths_;  // by task
  // Of the stack that is being unwound: so many frames of the path stay; these come in addition,
  // innermost first.
  std::size_t kept_ = 0;
  std::vector<Frame> fresh_;
};

}  // namespace ricercar::inline threads
