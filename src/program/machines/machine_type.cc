// The part of include/ricercar/detail/machine_type.h that needs no templates.
#include <ricercar/detail/machine_type.h>

#include <atomic>

#include "base/error.h"

namespace ricercar::detail {

bool counts_atomically = false;

namespace {

std::atomic<std::uint32_t> event_types = 0;
std::atomic<std::uint32_t> machine_types = 0;
thread_local Context* current = nullptr;

}  // namespace

std::uint32_t next_event_number() { return event_types++; }
std::uint32_t next_machine_type_number() { return machine_types++; }

std::uint16_t MachineType::state_number(const void* tag, std::string_view state_name) const {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].tag == tag) return static_cast<std::uint16_t>(i);
  }
  throw UsageError(std::string(name) + " has no state " + std::string(state_name) +
                   ": name it in " + std::string(name) + "::define with state<" +
                   std::string(state_name) + ">()");
}

void complete(MachineType& type) {
  if (type.states.empty()) {
    throw UsageError(std::string(type.name) +
                     " has no states: name at least one in define, with state<S>()");
  }
  for (StateInfo& state : type.states) {
    for (Action& action : state.actions) {
      if (action.target == nullptr) continue;
      action.state = type.state_number(
          action.target, "that a transition of " + std::string(state.name) + " leads to");
    }
  }
}

Context& context() {
  if (current == nullptr) {
    throw UsageError(
        "send, create, choose and similar calls are for the handlers of a machine: nothing is "
        "running "
        "here (in the set-up, use the System)");
  }
  return *current;
}

Context* set_context(Context* context) { return std::exchange(current, context); }

}  // namespace ricercar::detail
