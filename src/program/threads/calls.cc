#include "threads/calls.h"

#include "base/search_heap.h"
#include "threads/execution.h"
#include "threads/named.h"
#include "threads/recorder.h"

namespace ricercar::inline threads {
namespace {

const CallListeners& listeners() { return program_state.call_listeners; }

void enter_context(std::uint64_t caller, std::uint64_t frame) {
  Task& self = execution.self();
  while (!self.calls.empty() && self.calls.back().frame <= frame) self.calls.pop_back();
  const ContextId from = self.calls.empty() ? CallContexts::outermost : self.calls.back().context;
  if (const std::optional<ContextId> known = listeners().contexts()->recent(from, caller)) {
    self.context = *known;
  } else {
    const SharedAllocation shared;
    self.context = listeners().contexts()->enter(from, caller);
  }
  self.calls.push_back({frame, self.context});
  execution.accesses.event = self.context;
}

void leave_context(std::uint64_t frame) {
  Task& self = execution.self();
  while (!self.calls.empty() && self.calls.back().frame < frame) self.calls.pop_back();
  if (!self.calls.empty()) self.calls.pop_back();
  self.context = self.calls.empty() ? CallContexts::outermost : self.calls.back().context;
  execution.accesses.event = self.context;
}

}  // namespace

void enter_call(const MachineFrame& frame, std::uint64_t caller) {
  if (listeners().contain(CallListener::recorder) && execution.active()) {
    listeners().recorder()->function_entered(execution, frame);
  }
  if (!controlled()) return;
  if (listeners().contain(CallListener::contexts)) enter_context(caller, frame.stack);
  if (listeners().contain(CallListener::named_functions)) enter_function(frame.place, caller);
}

void leave_call(std::uint64_t frame) {
  if (!controlled()) return;
  if (listeners().contain(CallListener::contexts)) leave_context(frame);
  if (listeners().contain(CallListener::named_functions)) leave_function();
}

}  // namespace ricercar::inline threads
