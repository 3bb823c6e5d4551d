#include "search/world_process.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/check.h"
#include "base/error.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "model/step_hash.h"
#include "search/found_bugs.h"

namespace ricercar::inline search {
namespace {

Control* attach_control() {
  const char* descriptor = std::getenv(control_variable);
  if (descriptor == nullptr) return nullptr;
  void* got = ::mmap(reinterpret_cast<void*>(control_address), control_size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, std::atoi(descriptor), 0);
  auto* control = static_cast<Control*>(got);
  if (got == MAP_FAILED || control->magic != control_magic) return nullptr;
  const std::uint64_t heap = control->heap_start;
  search_heap_attach(reinterpret_cast<void*>(heap), control_address + control_size - heap, false);
  return control;
}

// What the search knew is gone with it. After what a replay did not show it begins anew. A piece of
// a search is given to somebody else by the tool.
void require_first_process(Control& control) {
  if (control.status != Status::running || control.begins_anew) return;
  if (control.request.in_pieces) {
    control.status = Status::stopped;
    ::_exit(worker_done);
  }
  throw UsageError(
      "the process that searched was killed, perhaps because memory ran out; limit what the "
      "search keeps with --memory and, for ses, with cache=BYTES");
}

}  // namespace

Control* control_from_tool() {
  static Control* const control = attach_control();
  return control;
}

std::unique_ptr<Control> private_control() {
  constexpr std::size_t heap_bytes = std::size_t{1} << 30;  // reserved, not used up
  static void* heap = nullptr;
  if (heap == nullptr) {
    heap = ::mmap(nullptr, heap_bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    RICERCAR_CHECK(heap != MAP_FAILED);
  } else {
    ::madvise(heap, heap_bytes, MADV_DONTNEED);
  }
  search_heap_attach(heap, heap_bytes, true);
  return std::make_unique<Control>();
}

void work_for_tool(Control& control, WorldKind world, const std::function<void(Control&)>& work) {
  control.world_kind = world;
  try {
    require_first_process(control);
    work(control);
  } catch (const std::exception& error) {
    copy_text(control.error, error.what());
    control.status = Status::failed;
  }
  std::fflush(nullptr);
  ::_exit(worker_done);
}

ExecutionEnd follow(World& world, ReplayStrategy& decisions) {
  decisions.begin();
  world.begin_search();
  world.restore();
  ExecutionEnd end = world.run(decisions);
  decisions.end(end.trace, *end.outcome);
  world.end_search();
  return end;
}

void replay(Control& control, World& world) {
  control.status = Status::running;
  ReplayStrategy decisions(control.request.decisions, control.request.checks);
  if (control.request.goes_on) decisions.go_on();
  const ExecutionEnd end = follow(world, decisions);
  const SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->world = control.world_kind;
  recording->outcome = as_record(*end.outcome);
  recording->divergence = decisions.divergence();
  recording->divergence.found_count = 0;  // they have no names in the program
  recording->trace_hash = hash_of(end.trace);
  recording->steps = end.trace.size();
  decisions.record(*recording);
  world.record(*recording);
  control.recording = recording;
  control.executions = 1;
  control.steps = end.trace.size();
  control.status = Status::finished;
}

}  // namespace ricercar::inline search
