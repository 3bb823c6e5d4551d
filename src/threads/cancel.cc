#include "threads/cancel.h"

#include <errno.h>
#include <link.h>

#include <cstring>
#include <utility>

#include "threads/execution.h"
#include "threads/own_code.h"
#include "threads/thread.h"

namespace ricercar {
namespace {

// What a loaded object imports: the symbols in front of those in its hash table.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const std::uint32_t* hash_table = nullptr;

  bool contain(const char* name) const {
    if (symbols == nullptr || names == nullptr || hash_table == nullptr) return false;
    for (std::uint32_t i = 1; i < hash_table[1]; ++i) {
      const bool is_import = symbols[i].st_shndx == SHN_UNDEF;
      if (is_import && std::strcmp(names + symbols[i].st_name, name) == 0) return true;
    }
    return false;
  }
};

Imports imports_of(const dl_phdr_info& object) {
  Imports imports;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto* place = reinterpret_cast<const void*>(entry->d_un.d_ptr);
      if (entry->d_tag == DT_SYMTAB) imports.symbols = static_cast<const ElfW(Sym)*>(place);
      if (entry->d_tag == DT_STRTAB) imports.names = static_cast<const char*>(place);
      if (entry->d_tag == DT_GNU_HASH) {
        imports.hash_table = static_cast<const std::uint32_t*>(place);
      }
    }
  }
  return imports;
}

// The vDSO's tables are not where the loader would have put them, and libomp cancels only its own
// monitor thread, which there is none of.
bool is_of_interest(const dl_phdr_info& object) {
  return std::strstr(object.dlpi_name, "vdso") == nullptr &&
         std::strstr(object.dlpi_name, "/libomp") == nullptr &&
         !own_range().contains(object.dlpi_addr);
}

int look_at_object(dl_phdr_info* object, std::size_t, void*) {
  if (!is_of_interest(*object)) return 0;
  if (!imports_of(*object).contain("pthread_cancel")) return 0;
  program_cancels = true;
  return 1;
}

void order(const Task& task, bool acquires) {
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const auto object = reinterpret_cast<std::uint64_t>(&task.cancel_requested);
  if (acquires) {
    races->acquire(execution.self().id, object);
  } else {
    races->release(execution.self().id, object);
  }
}

bool takes_requests(const Task& task) { return task.cancel_requested && !task.cancel_disabled; }

[[noreturn]] void take_request(Task& self) {
  self.cancel_disabled = true;
  self.cancel_requested = false;
  order(self, true);
  thread_exit(PTHREAD_CANCELED);
}

// Ends the wait as if its time were over. One that was woken and takes its mutex back has to wait
// for that.
void wake(Task& target) {
  if (execution.pending(target.id).kind == OperationKind::relock) return;
  target.cancel_woken = true;
  execution.set_deadline(target, execution.clock().now());
}

}  // namespace

bool program_cancels = false;

void look_for_cancelling() { dl_iterate_phdr(look_at_object, nullptr); }

int thread_cancel(pthread_t handle, std::uint64_t site) {
  Task* target = task_of(handle);
  if (target == nullptr) return ESRCH;
  execution.point(OperationKind::cancel, &target->cancel_requested, site);
  execution.step().value = index(target->id);
  if (target->state == TaskState::ended) return 0;
  target->cancel_requested = true;
  order(*target, false);
  if (target->cancel_disabled) return 0;
  if (target->cancel_point) {
    wake(*target);
  } else if (target->cancel_at_once && target == &execution.self()) {
    take_request(*target);
  } else if (target->cancel_at_once) {
    execution.fail(OutcomeKind::hang,
                   "cancels a thread with PTHREAD_CANCEL_ASYNCHRONOUS outside of its cancellation "
                   "points, which is not modelled by Ricercar",
                   site);
  }
  return 0;
}

int set_cancel_state(int state, int* old) {
  if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE) return EINVAL;
  const bool before =
      std::exchange(execution.self().cancel_disabled, state != PTHREAD_CANCEL_ENABLE);
  if (old != nullptr) *old = before ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
  return 0;
}

int set_cancel_type(int type, int* old) {
  if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS) return EINVAL;
  Task& self = execution.self();
  const bool before = std::exchange(self.cancel_at_once, type != PTHREAD_CANCEL_DEFERRED);
  if (old != nullptr) *old = before ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
  if (self.cancel_at_once && takes_requests(self)) take_request(self);
  return 0;
}

void enter_cancellation_point(std::uint64_t site) {
  Task& self = execution.self();
  execution.note(OperationKind::cancel_look, &self.cancel_requested, site, self.cancel_requested);
  if (takes_requests(self)) take_request(self);
  self.cancel_point = true;
  self.cancel_woken = false;
}

// A wait that ended for another reason leaves the request to the next cancellation point.
void leave_cancellation_point() {
  Task& self = execution.self();
  self.cancel_point = false;
  if (self.cancel_woken && self.timed_out && takes_requests(self)) take_request(self);
}

}  // namespace ricercar
