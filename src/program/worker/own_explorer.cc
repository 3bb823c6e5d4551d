// Explorers of the program's own in the threads world. Their code belongs to the program, but runs
// for the search, in the middle of an execution: it is not under control meanwhile, and its memory
// is not the program's, so that the program's own memory is the same with it and without it.

#include "ricercar/abi.h"
#include "strategy/delaying/own_explorers.h"
#include "threads/entry.h"
#include "threads/fiber.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/process.h"
#include "worker/worker.h"

namespace ricercar::inline worker {
namespace {

bool was_controlled = false;
unsigned allocations_before = 0;

void enter() {
  was_controlled = controlled_flag;
  controlled_flag = false;
  allocations_before = special_allocations;
  special_allocations |= runtime_allocates;
  asm volatile("" ::: "memory");
}

void leave() {
  asm volatile("" ::: "memory");
  special_allocations = allocations_before;
  controlled_flag = was_controlled;
}

}  // namespace
}  // namespace ricercar::inline worker

RICERCAR_HOOK void ricercar_register_explorer(const char* name,
                                              const ricercar_explorer_functions* functions) {
  using namespace ricercar;
  enter_own_explorer = enter;
  leave_own_explorer = leave;
  const std::string objection = register_own_explorer(name, *functions);
  if (objection.empty()) return;
  const std::string message = "the program registers an explorer '" + std::string(name) +
                              "', which is not possible: " + objection + "\n";
  stop_search_now(message.c_str());
}

RICERCAR_HOOK void ricercar_explorer_failed(const char* message) {
  ricercar::own_explorer_failed(message);
}
