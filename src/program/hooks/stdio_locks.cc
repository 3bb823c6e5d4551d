// Hooks: the locks of FILE objects. The C library takes them inside of its own calls, in which no
// task is switched; what a program holds from flockfile to funlockfile is modelled here and never
// taken for real, because a second task that came to it would block the one kernel thread.
#include <stdio.h>

#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/mutex.h"

namespace ricercar::inline hooks {
namespace {

// A mutex at the address of the file. It is made here, as a recursive one, before anything looks
// for the type in the memory at that address.
pthread_mutex_t* lock_of(FILE* file) {
  bool fresh;
  SyncObject& object = execution.objects.at(file, ObjectKind::mutex, fresh);
  if (fresh) {
    object.type = PTHREAD_MUTEX_RECURSIVE;
    object.of_library = true;
  }
  return reinterpret_cast<pthread_mutex_t*>(file);
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_ENTRY(flockfile);
RICERCAR_BODY void ricercar_body_flockfile(FILE* file) {
  if (!controlled()) return RICERCAR_BEHIND(flockfile)(file);
  mutex_lock(lock_of(file), Wait::forever, 0, RICERCAR_SITE());
}
RICERCAR_ENTRY(ftrylockfile);
RICERCAR_BODY int ricercar_body_ftrylockfile(FILE* file) {
  if (!controlled()) return RICERCAR_BEHIND(ftrylockfile)(file);
  return mutex_lock(lock_of(file), Wait::never, 0, RICERCAR_SITE());
}
RICERCAR_HOOK void funlockfile(FILE* file) noexcept {
  if (!controlled()) return RICERCAR_BEHIND(funlockfile)(file);
  mutex_unlock(lock_of(file), RICERCAR_SITE());
}
