// Hooks: the working directory, the umask, resource limits, and attributes of the process that
// cannot be put back.
#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_call.h"
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

namespace {

// 0: this process, which knows itself by another number than the system does.
pid_t as_system_knows(pid_t process) { return process == ::getpid() ? 0 : process; }

// Both kinds of limits are the same here. Those of another process are nobody's business.
template <typename Limit>
Limit limit_to_set(pid_t process, int resource, const Limit& limit) {
  if (!tracking || process != 0) return limit;
  const rlimit really = note_resource_limit(resource, {limit.rlim_cur, limit.rlim_max});
  return {really.rlim_cur, really.rlim_max};
}

template <typename Limit>
void show_limit(pid_t process, int resource, Limit* limit) {
  if (!tracking || process != 0 || limit == nullptr) return;
  const rlimit seen = seen_resource_limit(resource, {limit->rlim_cur, limit->rlim_max});
  *limit = {seen.rlim_cur, seen.rlim_max};
}

template <typename Limit, typename Function>
int change_limit(Function real, pid_t process, __rlimit_resource resource, const Limit* limit,
                 Limit* before) {
  Limit now{};
  const pid_t known = as_system_knows(process);
  const int result = real(known, resource, nullptr, &now);
  if (result != 0) return result;
  show_limit(known, resource, &now);
  if (limit != nullptr) {
    const Limit really = limit_to_set(known, resource, *limit);
    if (const int refused = real(known, resource, &really, nullptr); refused != 0) return refused;
  }
  if (before != nullptr) *before = now;
  return 0;
}

}  // namespace

#define RICERCAR_LIMIT_HOOKS(ending)                                                         \
  RICERCAR_EXPORT int setrlimit##ending(__rlimit_resource_t resource,                        \
                                        const struct rlimit##ending* limit) noexcept {       \
    if (!tracking) return RICERCAR_BEHIND(setrlimit##ending)(resource, limit);               \
    const struct rlimit##ending really = limit_to_set(0, resource, *limit);                  \
    return RICERCAR_BEHIND(setrlimit##ending)(resource, &really);                            \
  }                                                                                          \
  RICERCAR_EXPORT int getrlimit##ending(__rlimit_resource_t resource,                        \
                                        struct rlimit##ending* limit) noexcept {             \
    const int result = RICERCAR_BEHIND(getrlimit##ending)(resource, limit);                  \
    if (result == 0) show_limit(0, resource, limit);                                         \
    return result;                                                                           \
  }                                                                                          \
  RICERCAR_EXPORT int prlimit##ending(pid_t process, __rlimit_resource resource,             \
                                      const struct rlimit##ending* limit,                    \
                                      struct rlimit##ending* before) noexcept {              \
    return change_limit(RICERCAR_BEHIND(prlimit##ending), process, resource, limit, before); \
  }

RICERCAR_LIMIT_HOOKS()
RICERCAR_LIMIT_HOOKS(64)

namespace {

struct Identity {
  uid_t users[3] = {};
  gid_t groups[3] = {};

  bool operator==(const Identity&) const = default;
};

Identity identity_now() {
  Identity now;
  ::getresuid(&now.users[0], &now.users[1], &now.users[2]);
  ::getresgid(&now.groups[0], &now.groups[1], &now.groups[2]);
  return now;
}

int result_of(long answer) {
  if (answer >= 0) return static_cast<int>(answer);
  errno = static_cast<int>(-answer);
  return -1;
}

}  // namespace

// To become who one is changes nothing. Under control there is one kernel thread that runs the
// program; the C library would tell the others too, which only lend their storage, and wait for
// their answers for ever. `values`: the system call, with what it is given.
#define RICERCAR_IDENTITY_HOOK(name, parameters, arguments, values)        \
  RICERCAR_EXPORT int name parameters noexcept {                           \
    if (!tracking) return RICERCAR_BEHIND(name) arguments;                 \
    const Identity before = identity_now();                                \
    const int result = result_of(system_call values);                      \
    if (identity_now() != before) needs_fork("changes its user or group"); \
    return result;                                                         \
  }

RICERCAR_IDENTITY_HOOK(setuid, (uid_t user), (user), (SYS_setuid, user))
RICERCAR_IDENTITY_HOOK(seteuid, (uid_t user), (user), (SYS_setresuid, -1, user, -1))
RICERCAR_IDENTITY_HOOK(setreuid, (uid_t real, uid_t user), (real, user), (SYS_setreuid, real, user))
RICERCAR_IDENTITY_HOOK(setresuid, (uid_t real, uid_t user, uid_t saved), (real, user, saved),
                       (SYS_setresuid, real, user, saved))
RICERCAR_IDENTITY_HOOK(setgid, (gid_t group), (group), (SYS_setgid, group))
RICERCAR_IDENTITY_HOOK(setegid, (gid_t group), (group), (SYS_setresgid, -1, group, -1))
RICERCAR_IDENTITY_HOOK(setregid, (gid_t real, gid_t group), (real, group),
                       (SYS_setregid, real, group))
RICERCAR_IDENTITY_HOOK(setresgid, (gid_t real, gid_t group, gid_t saved), (real, group, saved),
                       (SYS_setresgid, real, group, saved))

RICERCAR_EXPORT int setgroups(size_t count, const gid_t* groups) noexcept {
  if (!tracking) return RICERCAR_BEHIND(setgroups)(count, groups);
  note_groups();
  return result_of(
      system_call(SYS_setgroups, static_cast<long>(count), ricercar::as_argument(groups)));
}

RICERCAR_FORKING_HOOK(pid_t, setsid, (), (), "becomes the leader of a session")
RICERCAR_FORKING_HOOK(int, setpgid, (pid_t process, pid_t group), (process, group),
                      "changes its process group")
RICERCAR_FORKING_HOOK(int, chroot, (const char* path), (path), "changes its root directory")
RICERCAR_FORKING_HOOK(int, unshare, (int flags), (flags), "leaves a namespace")
