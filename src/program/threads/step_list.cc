#include "threads/step_list.h"

#include <sys/mman.h>

#include <utility>

#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

std::size_t bytes_of(std::uint64_t room) { return room * (sizeof(Step) + sizeof(std::uint32_t)); }

}  // namespace

void StepList::release() {
  if (own_.steps == nullptr) return;
  system_call(SYS_munmap, as_argument(own_.steps), static_cast<long>(bytes_of(own_room_)));
  own_ = {};
}

void StepList::write_into(OpenTrace* open, std::uint64_t max_steps) {
  release();
  room_ = trace_room(max_steps);
  const bool has_room = open != nullptr && open->steps != nullptr;
  open_ = has_room ? open : &own_;
  if (!has_room) {
    own_room_ = room_;
    own_.steps =
        reinterpret_cast<Step*>(map_memory(nullptr, bytes_of(room_), PROT_READ | PROT_WRITE,
                                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE));
    RICERCAR_CHECK(own_.steps != nullptr);
    own_.accesses = reinterpret_cast<std::uint32_t*>(own_.steps + room_);
  }
  steps_ = open_->steps;
}

}  // namespace ricercar::inline threads
