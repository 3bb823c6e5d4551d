#include "threads/named.h"

#include "threads/execution.h"

namespace ricercar::inline threads {

void enter_function(std::uint64_t site, std::uint64_t caller) {
  if (!controlled()) return;
  Task& self = execution.self();
  const std::span<const AddressRange> named = program_state.call_listeners.named_functions();
  // Return addresses lie behind the call.
  const bool is_inside =
      self.named_depth != 0 || contains(named, site - 1) || contains(named, caller - 1);
  if (!is_inside) return;
  ++self.named_depth;
  self.step_flags = step_named;
}

void leave_function() {
  if (!controlled()) return;
  Task& self = execution.self();
  if (self.named_depth != 0 && --self.named_depth == 0) self.step_flags = 0;
}

}  // namespace ricercar::inline threads
