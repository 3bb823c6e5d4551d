#include "threads/named.h"

#include "threads/calls.h"
#include "threads/execution.h"

namespace ricercar::inline threads {
namespace {

std::span<const AddressRange> named_functions;

}  // namespace

void set_named_functions(std::span<const AddressRange> ranges) {
  named_functions = ranges;
  listen_to_calls(CallListener::named_functions, !ranges.empty());
}

void enter_function(std::uint64_t site, std::uint64_t caller) {
  if (!controlled()) return;
  Task& self = execution.self();
  // Return addresses lie behind the call.
  const bool is_inside = self.named_depth != 0 || contains(named_functions, site - 1) ||
                         contains(named_functions, caller - 1);
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
