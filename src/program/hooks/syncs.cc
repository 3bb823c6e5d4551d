// Hooks: what makes files last. Whatever an execution writes is put back before the next one, so
// nothing has to reach a disk; but a crash of a node loses what was not synced.
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "disk/sync.h"
#include "disk/watch.h"
#include "hooks/behind.h"
#include "threads/hook.h"
#include "threads/node_files.h"

namespace ricercar::inline hooks {
namespace {

bool is_kept() { return changes_log != nullptr && controlled(); }

// 0, or as the C library says that the descriptor is not open.
int synced(const char* call, int number, std::uint64_t site) {
  if (system_call(SYS_fcntl, number, F_GETFD) < 0) {
    errno = EBADF;
    return -1;
  }
  if (fault_of_sync(call, site) == call_fails) {
    errno = EIO;
    return -1;
  }
  sync_file(*changes_log, number);
  return 0;
}

int all_synced(const char* call, std::uint64_t site) {
  point_before_sync(call, site);
  sync_all(*changes_log);
  return 0;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_SYNC_HOOK(name)                                  \
  RICERCAR_HOOK int name(int number) {                            \
    using Function = int (*)(int);                                \
    if (is_kept()) return synced(#name, number, RICERCAR_SITE()); \
    return RICERCAR_BEHIND_AS(Function, #name)(number);           \
  }
RICERCAR_SYNC_HOOK(fsync)
RICERCAR_SYNC_HOOK(fdatasync)

RICERCAR_HOOK int syncfs(int number) noexcept {
  using Function = int (*)(int);
  if (is_kept()) return all_synced("syncfs", RICERCAR_SITE());
  return RICERCAR_BEHIND_AS(Function, "syncfs")(number);
}

RICERCAR_HOOK void sync() noexcept {
  using Function = void (*)();
  if (is_kept()) {
    all_synced("sync", RICERCAR_SITE());
  } else {
    RICERCAR_BEHIND_AS(Function, "sync")();
  }
}
