// What belongs to one program under test in an execution, besides the execution itself: each part
// is one primitive's, and begins anew with every execution.
#pragma once

#include <cstdint>

#include "threads/blocking.h"
#include "threads/numbered_objects.h"
#include "threads/random_source.h"
#include "threads/sent_signals.h"
#include "threads/signal_timers.h"
#include "threads/sleep.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {

struct ProgramState {
  RandomStreams random;
  TimeWatches watches;
  BlockedCalls blocked_calls;
  DescriptorTimers descriptor_timers;
  SignalsOnTheirWay signals;
  SignalTimers signal_timers;
  NumberedObjects pipes;
  NumberedObjects files;
  NumberedObjects streams;
  NumberedObjects streamed_files;  // what the streams lead to

  void begin_execution(std::uint64_t seed) {
    // All of them: with one more member this does not compile.
    auto& [random_, watches_, blocked_calls_, descriptor_timers_, signals_, signal_timers_, pipes_,
           files_, streams_, streamed_files_] = *this;
    random_.begin_execution(seed);
    begin(watches_, blocked_calls_, descriptor_timers_, signals_, signal_timers_, pipes_, files_,
          streams_, streamed_files_);
  }

 private:
  template <typename... Parts>
  static void begin(Parts&... parts) {
    (parts.begin_execution(), ...);
  }
};

}  // namespace ricercar::inline threads
