#include "threads/calls.h"

#include "base/search_heap.h"
#include "threads/execution.h"
#include "threads/named.h"
#include "threads/recorder.h"

namespace ricercar::inline threads {
namespace {

Recorder* call_recorder = nullptr;

bool listens(CallListener listener) {
  return (call_listeners & static_cast<std::uint8_t>(listener)) != 0;
}

void enter_context(std::uint64_t caller, std::uint64_t frame) {
  Task& self = execution.self();
  while (!self.calls.empty() && self.calls.back().frame <= frame) self.calls.pop_back();
  const ContextId from = self.calls.empty() ? CallContexts::outermost : self.calls.back().context;
  if (const std::optional<ContextId> known = call_contexts->recent(from, caller)) {
    self.context = *known;
  } else {
    const SharedAllocation shared;
    self.context = call_contexts->enter(from, caller);
  }
  self.calls.push_back({frame, self.context});
  execution.set_event_context(self.context);
}

void leave_context(std::uint64_t frame) {
  Task& self = execution.self();
  while (!self.calls.empty() && self.calls.back().frame < frame) self.calls.pop_back();
  if (!self.calls.empty()) self.calls.pop_back();
  self.context = self.calls.empty() ? CallContexts::outermost : self.calls.back().context;
  execution.set_event_context(self.context);
}

}  // namespace

std::uint8_t call_listeners = 0;
CallContexts* call_contexts = nullptr;

void listen_to_calls(CallListener listener, bool wanted) {
  const auto bit = static_cast<unsigned>(listener);
  call_listeners = static_cast<std::uint8_t>(wanted ? call_listeners | bit : call_listeners & ~bit);
}

void set_call_contexts(CallContexts* contexts) {
  call_contexts = contexts;
  listen_to_calls(CallListener::contexts, contexts != nullptr);
}

void set_call_recorder(Recorder* recorder) {
  call_recorder = recorder;
  listen_to_calls(CallListener::recorder, recorder != nullptr);
}

void enter_call(const MachineFrame& frame, std::uint64_t caller) {
  if (listens(CallListener::recorder) && execution.active()) {
    call_recorder->function_entered(execution, frame);
  }
  if (!controlled()) return;
  if (listens(CallListener::contexts)) enter_context(caller, frame.stack);
  if (listens(CallListener::named_functions)) enter_function(frame.place, caller);
}

void leave_call(std::uint64_t frame) {
  if (!controlled()) return;
  if (listens(CallListener::contexts)) leave_context(frame);
  if (listens(CallListener::named_functions)) leave_function();
}

}  // namespace ricercar::inline threads
