// What belongs to one program under test, besides its memory (threads/memory/memory_state.h) and
// the execution itself. Each part is one primitive's. Most of them begin anew with every execution;
// what the program was told, has, or did before main lasts.
//
// Hooks may be called before the runtime's own constructors have run: the one instance is there
// from the start, as constants are.
#pragma once

#include <unwind.h>

#include <cstdint>

#include "threads/benign_races.h"
#include "threads/blocking.h"
#include "threads/calls.h"
#include "threads/early_threads.h"
#include "threads/imports.h"
#include "threads/kept_open.h"
#include "threads/keys.h"
#include "threads/named_semaphores.h"
#include "threads/node_sockets.h"
#include "threads/numbered_objects.h"
#include "threads/openmp.h"
#include "threads/random_source.h"
#include "threads/sent_signals.h"
#include "threads/signal_timers.h"
#include "threads/sleep.h"
#include "threads/system_semaphores.h"
#include "threads/timer_descriptor.h"

namespace ricercar::inline threads {

// Fibers of its own that the program announces (__tsan_create_fiber). They are named by number, the
// same in every execution.
class AnnotatedFibers {
 public:
  void begin_execution() { count_ = 0; }
  void* next() { return &names_[++count_ % sizeof names_]; }
  void* outside() { return &names_[0]; }

 private:
  std::uint32_t count_ = 0;
  char names_[4096] = {};  // only their addresses count
};

// What threads are unwound with that end in the middle.
struct ForcedExits {
  _Unwind_Exception exceptions[max_tasks] = {};
};

struct ProgramState {
  RandomStreams random;
  TimeWatches watches;
  BlockedCalls blocked_calls;
  DescriptorTimers descriptor_timers;
  SignalsOnTheirWay signals;
  SignalTimers signal_timers;
  SemaphoreSets semaphore_sets;
  NumberedObjects pipes;
  NumberedObjects files;
  NumberedObjects streams;
  NumberedObjects streamed_files;  // what the streams lead to
  Keys keys;
  BenignRaces benign_races;
  AnnotatedFibers annotated_fibers;
  NodeSockets sockets;  // of a node
  KeptOpen kept_open;
  NamedSemaphores named_semaphores;  // of a node
  // These last.
  EarlyThreads early_threads;
  ProgramImports imports;
  CallListeners call_listeners;
  openmp::Functions openmp;
  ForcedExits exits;

  void begin_execution(std::uint64_t seed) {
    // All of them: with one more member this does not compile.
    auto& [random_, watches_, blocked_calls_, descriptor_timers_, signals_, signal_timers_,
           semaphore_sets_, pipes_, files_, streams_, streamed_files_, keys_, benign_races_,
           annotated_fibers_, sockets_, kept_open_, named_semaphores_, early_threads_, imports_,
           call_listeners_, openmp_, exits_] = *this;
    random_.begin_execution(seed);
    begin(watches_, blocked_calls_, descriptor_timers_, signals_, signal_timers_, semaphore_sets_,
          pipes_, files_, streams_, streamed_files_, keys_, benign_races_, annotated_fibers_,
          sockets_, kept_open_, named_semaphores_);
    keep(early_threads_, imports_, call_listeners_, openmp_, exits_);
  }

 private:
  template <typename... Parts>
  static void begin(Parts&... parts) {
    (parts.begin_execution(), ...);
  }
  template <typename... Parts>
  static void keep(const Parts&...) {}
};

// One, because C hooks have nowhere else to look.
extern ProgramState program_state;

}  // namespace ricercar::inline threads
