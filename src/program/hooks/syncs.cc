// Hooks: what makes files last. Whatever an execution writes is put back before the next one, so
// nothing has to reach a disk.
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "disk/watch.h"
#include "hooks/behind.h"
#include "threads/hook.h"

namespace ricercar::inline hooks {
namespace {

// 0, or as the C library says that the descriptor is not open.
int synced(int number) {
  if (system_call(SYS_fcntl, number, F_GETFD) >= 0) return 0;
  errno = EBADF;
  return -1;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_SYNC_HOOK(name)                                       \
  RICERCAR_HOOK int name(int number) {                                 \
    using Function = int (*)(int);                                     \
    if (changes_log != nullptr && controlled()) return synced(number); \
    return RICERCAR_BEHIND_AS(Function, #name)(number);                \
  }
RICERCAR_SYNC_HOOK(fsync)
RICERCAR_SYNC_HOOK(fdatasync)
RICERCAR_SYNC_HOOK(syncfs)

RICERCAR_HOOK void sync() noexcept {
  using Function = void (*)();
  if (changes_log == nullptr || !controlled()) RICERCAR_BEHIND_AS(Function, "sync")();
}
