// Who listens when the compiler announces that a function is entered or left: inlined calls are
// not announced.
//
// One of them is the stack of calls of each task, for strategies that ask where steps were called
// from; inlined calls are found in the debug information of the places (see
// strategy/hapset/statements.h). A frame that is left in another way (an exception that no landing
// pad announces, longjmp) is noticed by its place on the stack: a frame that begins at or below the
// one of a later call is gone.
#pragma once

#include <cstdint>
#include <span>

#include "model/address_range.h"
#include "model/call_contexts.h"
#include "threads/frame_rules.h"

namespace ricercar::inline threads {

class Recorder;

enum class CallListener : std::uint8_t { contexts = 1, named_functions = 2, recorder = 4 };

// Who listens to the calls of one program.
class CallListeners {
 public:
  // Looked at in every call: nearly always there is none.
  bool are_there() const { return set_ != 0; }
  bool contain(CallListener listener) const {
    return (set_ & static_cast<std::uint8_t>(listener)) != 0;
  }

  // Null: nobody asks.
  CallContexts* contexts() const { return contexts_; }
  void set_contexts(CallContexts* contexts) {
    contexts_ = contexts;
    listen(CallListener::contexts, contexts != nullptr);
  }
  // Is told even while the execution notes nothing.
  Recorder* recorder() const { return recorder_; }
  void set_recorder(Recorder* recorder) {
    recorder_ = recorder;
    listen(CallListener::recorder, recorder != nullptr);
  }
  // See threads/named.h. The ranges must stay where they are.
  std::span<const AddressRange> named_functions() const { return named_functions_; }
  void set_named_functions(std::span<const AddressRange> ranges) {
    named_functions_ = ranges;
    listen(CallListener::named_functions, !ranges.empty());
  }

 private:
  void listen(CallListener listener, bool wanted) {
    const auto bit = static_cast<unsigned>(listener);
    set_ = static_cast<std::uint8_t>(wanted ? set_ | bit : set_ & ~bit);
  }

  std::uint8_t set_ = 0;
  CallContexts* contexts_ = nullptr;
  Recorder* recorder_ = nullptr;
  std::span<const AddressRange> named_functions_;
};

// `frame` is that of the function that is entered; `caller` is its return address.
void enter_call(const MachineFrame& frame, std::uint64_t caller);
// `frame`: the stack pointer of the function that is left.
void leave_call(std::uint64_t frame);

}  // namespace ricercar::inline threads
