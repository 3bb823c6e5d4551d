#include "threads/calls.h"

#include "base/search_heap.h"
#include "threads/execution.h"

namespace ricercar {

CallContexts* call_contexts = nullptr;

void enter_call(std::uint64_t caller, std::uint64_t frame) {
  if (!controlled()) return;
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

void leave_call(std::uint64_t frame) {
  if (!controlled()) return;
  Task& self = execution.self();
  while (!self.calls.empty() && self.calls.back().frame < frame) self.calls.pop_back();
  if (!self.calls.empty()) self.calls.pop_back();
  self.context = self.calls.empty() ? CallContexts::outermost : self.calls.back().context;
  execution.set_event_context(self.context);
}

}  // namespace ricercar
