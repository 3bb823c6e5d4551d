#include "threads/openmp.h"

#include <array>
#include <string>
#include <utility>

#include "threads/execution.h"

namespace ricercar::openmp {
namespace {

const char meetings[8 * 8] = {};  // only their addresses count

std::uint64_t object_of(Meeting meeting) {
  return reinterpret_cast<std::uint64_t>(&meetings[static_cast<std::size_t>(meeting) * 8]);
}

RaceDetector* races() { return controlled() ? execution.races() : nullptr; }

void acquire(std::uint64_t object) {
  if (RaceDetector* detector = races()) detector->acquire(execution.self().id, object);
}
void release(std::uint64_t object) {
  if (RaceDetector* detector = races()) detector->release(execution.self().id, object);
}

void before(Outlined kind) {
  if (kind == Outlined::region) return arrive_at(Meeting::region_begin);
  arrive_at(Meeting::task_begin);
  if (kind == Outlined::dependent_task) arrive_at(Meeting::task_end);
}
void after(Outlined kind) {
  leave_for(kind == Outlined::region ? Meeting::region_end : Meeting::task_end);
}

// The function has to be found without its argument, whose layout the library knows: so there is a
// wrapper of its own for each of the program's functions.
constexpr std::size_t max_functions = Functions::most;

template <std::size_t number>
void run(void* data) {
  const Functions::Wrapped& self = program_state.openmp.wrapped[number];
  before(self.kind);
  self.function(data);
  after(self.kind);
}

template <std::size_t... numbers>
constexpr std::array<OutlinedFunction, max_functions> make_wrappers(
    std::index_sequence<numbers...>) {
  return {&run<numbers>...};
}
constexpr auto wrappers = make_wrappers(std::make_index_sequence<max_functions>());

}  // namespace

void leave_for(Meeting meeting) { release(object_of(meeting)); }
void arrive_at(Meeting meeting) { acquire(object_of(meeting)); }

void locked(const void* lock) { acquire(reinterpret_cast<std::uint64_t>(lock)); }
void unlocking(const void* lock) { release(reinterpret_cast<std::uint64_t>(lock)); }

OutlinedFunction wrap(OutlinedFunction function, Outlined kind) {
  if (!controlled()) return function;
  Functions& all = program_state.openmp;
  for (std::size_t i = 0; i < all.count; ++i) {
    if (all.wrapped[i].function == function && all.wrapped[i].kind == kind) return wrappers[i];
  }
  if (all.count == max_functions) {
    execution.fail(OutcomeKind::hang,
                   "more than " + std::to_string(max_functions) +
                       " parallel regions and tasks of OpenMP; Ricercar's limit",
                   reinterpret_cast<std::uint64_t>(function));
  }
  all.wrapped[all.count] = {function, kind};
  return wrappers[all.count++];
}

}  // namespace ricercar::openmp
