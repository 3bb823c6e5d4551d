// Hooks: numbers that differ from machine to machine and from run to run: the identity of the
// process and of its threads, and the processors. A controlled task sees fixed ones.
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstring>

#include "threads/descriptor.h"
#include "threads/hook.h"
#include "threads/memory/real_function.h"
#include "threads/process.h"
#include "threads/processors.h"
#include "threads/thread.h"

namespace ricercar::inline hooks {
namespace {

constexpr int processor_count = machine_processors;

// What the C library's function returns for a result of the kernel's call, whose rest it clears.
int finish_set(long result, void* set, size_t size) {
  if (result < 0) return static_cast<int>(as_result(result));
  const auto filled = static_cast<size_t>(result);
  std::memset(static_cast<char*>(set) + filled, 0, size - filled);
  return 0;
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK pid_t getpid() { return controlled() ? process_id() : RICERCAR_BEHIND(getpid)(); }
RICERCAR_HOOK pid_t gettid() { return controlled() ? task_thread_id() : RICERCAR_BEHIND(gettid)(); }

RICERCAR_HOOK int get_nprocs() {
  return sees_fixed_machine() ? processor_count : RICERCAR_BEHIND(get_nprocs)();
}
RICERCAR_HOOK int get_nprocs_conf() {
  return sees_fixed_machine() ? processor_count : RICERCAR_BEHIND(get_nprocs_conf)();
}
RICERCAR_HOOK long sysconf(int name) {
  const bool asks_processors = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return asks_processors && sees_fixed_machine() ? processor_count : RICERCAR_BEHIND(sysconf)(name);
}
RICERCAR_HOOK int sched_getcpu() {
  return controlled() ? processor_of(execution.self()) : RICERCAR_BEHIND(sched_getcpu)();
}
RICERCAR_HOOK int getcpu(unsigned* processor, unsigned* node) {
  if (!controlled()) return RICERCAR_BEHIND(getcpu)(processor, node);
  if (processor != nullptr) *processor = static_cast<unsigned>(processor_of(execution.self()));
  if (node != nullptr) *node = 0;
  return 0;
}

RICERCAR_HOOK int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* set) {
  if (!sees_fixed_machine()) return RICERCAR_BEHIND(sched_getaffinity)(thread, size, set);
  return finish_set(get_processors(thread, set, size), set, size);
}
RICERCAR_HOOK int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* set) {
  if (!sees_fixed_machine()) return RICERCAR_BEHIND(sched_setaffinity)(thread, size, set);
  return static_cast<int>(as_result(set_processors(thread, set, size)));
}
RICERCAR_HOOK int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) {
  if (!controlled()) return RICERCAR_BEHIND(pthread_getaffinity_np)(thread, size, set);
  const Task* task = task_of(thread);
  if (task == nullptr) return ESRCH;
  const long result = get_processors(*task, set, size);
  return result < 0 ? static_cast<int>(-result) : finish_set(result, set, size);
}
RICERCAR_HOOK int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) {
  if (!controlled()) return RICERCAR_BEHIND(pthread_setaffinity_np)(thread, size, set);
  Task* task = task_of(thread);
  return task != nullptr ? static_cast<int>(-set_processors(*task, set, size)) : ESRCH;
}
