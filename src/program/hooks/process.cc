// Hooks: calls that start another process or another program. A controlled task may not make them.
#include "threads/process.h"

#include <sched.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "threads/hook.h"
#include "threads/memory/real_function.h"

namespace ricercar::inline hooks {
namespace {

// The arguments of execl and its kind, up to the null pointer that ends them.
std::vector<char*> collect(const char* first, va_list& list) {
  std::vector<char*> arguments;
  for (auto* next = const_cast<char*>(first); next != nullptr; next = va_arg(list, char*)) {
    arguments.push_back(next);
  }
  arguments.push_back(nullptr);
  return arguments;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

#define RICERCAR_REFUSE(name) \
  if (controlled()) unsupported(#name "()", RICERCAR_SITE())

RICERCAR_HOOK pid_t fork() {
  RICERCAR_REFUSE(fork);
  return RICERCAR_REAL(fork)();
}
// A real vfork cannot be called from a function that returns before the child is gone; fork does
// all that a program may expect of vfork.
RICERCAR_HOOK pid_t vfork() {
  RICERCAR_REFUSE(vfork);
  return RICERCAR_REAL(fork)();
}
RICERCAR_HOOK pid_t _Fork() {
  RICERCAR_REFUSE(_Fork);
  return RICERCAR_BEHIND(_Fork)();
}
RICERCAR_HOOK int clone(int (*routine)(void*), void* stack, int flags, void* argument, ...) {
  RICERCAR_REFUSE(clone);
  va_list list;
  va_start(list, argument);
  auto* parent = va_arg(list, void*);
  auto* storage = va_arg(list, void*);
  auto* child = va_arg(list, void*);
  va_end(list);
  return RICERCAR_BEHIND(clone)(routine, stack, flags, argument, parent, storage, child);
}
RICERCAR_HOOK int daemon(int keep_folder, int keep_output) {
  RICERCAR_REFUSE(daemon);
  return RICERCAR_BEHIND(daemon)(keep_folder, keep_output);
}
RICERCAR_HOOK int system(const char* command) {
  RICERCAR_REFUSE(system);
  return RICERCAR_BEHIND(system)(command);
}
RICERCAR_HOOK FILE* popen(const char* command, const char* mode) {
  RICERCAR_REFUSE(popen);
  return RICERCAR_BEHIND(popen)(command, mode);
}
RICERCAR_HOOK int posix_spawn(pid_t* process, const char* path,
                              const posix_spawn_file_actions_t* actions,
                              const posix_spawnattr_t* attributes, char* const arguments[],
                              char* const environment[]) {
  RICERCAR_REFUSE(posix_spawn);
  return RICERCAR_BEHIND(posix_spawn)(process, path, actions, attributes, arguments, environment);
}
RICERCAR_HOOK int posix_spawnp(pid_t* process, const char* file,
                               const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const arguments[],
                               char* const environment[]) {
  RICERCAR_REFUSE(posix_spawnp);
  return RICERCAR_BEHIND(posix_spawnp)(process, file, actions, attributes, arguments, environment);
}

RICERCAR_HOOK int prctl(int option, ...) noexcept {
  va_list list;
  va_start(list, option);
  long arguments[4];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  if (controlled()) refuse_filters(SYS_prctl, option, RICERCAR_SITE());
  return RICERCAR_BEHIND(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

RICERCAR_HOOK int execv(const char* path, char* const arguments[]) noexcept {
  RICERCAR_REFUSE(execv);
  return RICERCAR_BEHIND(execv)(path, arguments);
}
RICERCAR_HOOK int execve(const char* path, char* const arguments[],
                         char* const environment[]) noexcept {
  RICERCAR_REFUSE(execve);
  return RICERCAR_BEHIND(execve)(path, arguments, environment);
}
RICERCAR_HOOK int execvp(const char* file, char* const arguments[]) noexcept {
  RICERCAR_REFUSE(execvp);
  return RICERCAR_BEHIND(execvp)(file, arguments);
}
RICERCAR_HOOK int execvpe(const char* file, char* const arguments[],
                          char* const environment[]) noexcept {
  RICERCAR_REFUSE(execvpe);
  return RICERCAR_BEHIND(execvpe)(file, arguments, environment);
}
RICERCAR_HOOK int fexecve(int file, char* const arguments[], char* const environment[]) noexcept {
  RICERCAR_REFUSE(fexecve);
  return RICERCAR_BEHIND(fexecve)(file, arguments, environment);
}
RICERCAR_HOOK int execveat(int folder, const char* path, char* const arguments[],
                           char* const environment[], int flags) noexcept {
  RICERCAR_REFUSE(execveat);
  return RICERCAR_BEHIND(execveat)(folder, path, arguments, environment, flags);
}
RICERCAR_HOOK int execl(const char* path, const char* first, ...) noexcept {
  RICERCAR_REFUSE(execl);
  va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = collect(first, list);
  va_end(list);
  return RICERCAR_BEHIND(execv)(path, arguments.data());
}
RICERCAR_HOOK int execlp(const char* file, const char* first, ...) noexcept {
  RICERCAR_REFUSE(execlp);
  va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = collect(first, list);
  va_end(list);
  return RICERCAR_BEHIND(execvp)(file, arguments.data());
}
RICERCAR_HOOK int execle(const char* path, const char* first, ...) noexcept {
  RICERCAR_REFUSE(execle);
  va_list list;
  va_start(list, first);
  const std::vector<char*> arguments = collect(first, list);
  auto* environment = va_arg(list, char**);
  va_end(list);
  return RICERCAR_BEHIND(execve)(path, arguments.data(), environment);
}
