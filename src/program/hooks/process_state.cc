// Hooks: the working directory, the umask, and attributes of the process that cannot be put back.
#include <grp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "threads/memory/external_state.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/real_function.h"

using namespace ricercar;

RICERCAR_EXPORT int chdir(const char* path) noexcept {
  if (tracking) note_folder();
  const FileStep step({"chdir", FileEffect::changes, path}, __builtin_return_address(0));
  return step.end(RICERCAR_BEHIND(chdir)(path));
}

RICERCAR_EXPORT int fchdir(int folder) noexcept {
  if (tracking) note_folder();
  const FileStep step({"fchdir", FileEffect::changes, nullptr, folder},
                      __builtin_return_address(0));
  return step.end(RICERCAR_BEHIND(fchdir)(folder));
}

RICERCAR_EXPORT mode_t umask(mode_t mask) noexcept {
  if (tracking) note_creation_mask();
  return RICERCAR_BEHIND(umask)(mask);
}

// What the loader allocates in an execution, for a library that it finds or does not find, it
// keeps: see loader_allocates. It has to see who calls, whose search path it takes, so this is a
// stub that jumps on.
extern "C" __attribute__((visibility("hidden"), used)) void* ricercar_before_dlopen() {
  special_allocations |= loader_allocates;
  return reinterpret_cast<void*>(RICERCAR_BEHIND(dlopen));
}
extern "C" __attribute__((visibility("hidden"), used)) void* ricercar_before_dlmopen() {
  special_allocations |= loader_allocates;
  return reinterpret_cast<void*>(RICERCAR_BEHIND(dlmopen));
}

#define RICERCAR_LOADER_STUB(name)         \
  asm(".text\n"                            \
      ".p2align 4\n"                       \
      ".globl " #name                      \
      "\n"                                 \
      ".type " #name ", @function\n" #name \
      ":\n"                                \
      "  push %rdi\n"                      \
      "  push %rsi\n"                      \
      "  push %rdx\n"                      \
      "  call ricercar_before_" #name      \
      "\n"                                 \
      "  pop %rdx\n"                       \
      "  pop %rsi\n"                       \
      "  pop %rdi\n"                       \
      "  jmp *%rax\n"                      \
      ".size " #name ", .-" #name "\n")

RICERCAR_LOADER_STUB(dlopen);
RICERCAR_LOADER_STUB(dlmopen);

RICERCAR_EXPORT int dlclose(void* library) noexcept {
  if (tracking) {
    note_libraries();
    closes_library(library);
    needs_fork("unloads a library");
  }
  ++closed_libraries;
  return RICERCAR_BEHIND(dlclose)(library);
}

#define RICERCAR_FORKING_HOOK(type, name, parameters, arguments, why) \
  RICERCAR_EXPORT type name parameters noexcept {                     \
    if (tracking) needs_fork(why);                                    \
    return RICERCAR_BEHIND(name) arguments;                           \
  }

#define RICERCAR_LIMIT "changes its resource limits"
RICERCAR_FORKING_HOOK(int, setrlimit, (__rlimit_resource_t resource, const struct rlimit* limit),
                      (resource, limit), RICERCAR_LIMIT)
RICERCAR_FORKING_HOOK(int, setrlimit64,
                      (__rlimit_resource_t resource, const struct rlimit64* limit),
                      (resource, limit), RICERCAR_LIMIT)

#define RICERCAR_IDENTITY "changes its user or group"
RICERCAR_FORKING_HOOK(int, setuid, (uid_t user), (user), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, seteuid, (uid_t user), (user), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setreuid, (uid_t real, uid_t user), (real, user), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setresuid, (uid_t real, uid_t user, uid_t saved), (real, user, saved),
                      RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setgid, (gid_t group), (group), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setegid, (gid_t group), (group), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setregid, (gid_t real, gid_t group), (real, group), RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setresgid, (gid_t real, gid_t group, gid_t saved), (real, group, saved),
                      RICERCAR_IDENTITY)
RICERCAR_FORKING_HOOK(int, setgroups, (size_t count, const gid_t* groups), (count, groups),
                      RICERCAR_IDENTITY)

RICERCAR_FORKING_HOOK(pid_t, setsid, (), (), "becomes the leader of a session")
RICERCAR_FORKING_HOOK(int, setpgid, (pid_t process, pid_t group), (process, group),
                      "changes its process group")
RICERCAR_FORKING_HOOK(int, chroot, (const char* path), (path), "changes its root directory")
RICERCAR_FORKING_HOOK(int, unshare, (int flags), (flags), "leaves a namespace")
