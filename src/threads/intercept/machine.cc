// Hooks: numbers that differ from machine to machine and from run to run: the identity of the
// process and of its threads, and the processors. A controlled task sees fixed ones.
#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cstring>

#include "threads/intercept/hook.h"
#include "threads/memory/real_function.h"
#include "threads/process.h"

namespace ricercar {
namespace {

void fill_processors(cpu_set_t* set, size_t size) {
  std::memset(set, 0, size);
  for (int i = 0; i < processor_count; ++i) CPU_SET_S(i, size, set);
}

}  // namespace
}  // namespace ricercar

using namespace ricercar;

RICERCAR_HOOK pid_t getpid() { return controlled() ? process_id() : RICERCAR_BEHIND(getpid)(); }
RICERCAR_HOOK pid_t gettid() { return controlled() ? task_thread_id() : RICERCAR_BEHIND(gettid)(); }

RICERCAR_HOOK int get_nprocs() {
  return controlled() ? processor_count : RICERCAR_BEHIND(get_nprocs)();
}
RICERCAR_HOOK int get_nprocs_conf() {
  return controlled() ? processor_count : RICERCAR_BEHIND(get_nprocs_conf)();
}
RICERCAR_HOOK long sysconf(int name) {
  const bool asks_processors = name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF;
  return controlled() && asks_processors ? processor_count : RICERCAR_BEHIND(sysconf)(name);
}
RICERCAR_HOOK int sched_getcpu() { return controlled() ? 0 : RICERCAR_BEHIND(sched_getcpu)(); }
RICERCAR_HOOK int getcpu(unsigned* processor, unsigned* node) {
  if (!controlled()) return RICERCAR_BEHIND(getcpu)(processor, node);
  if (processor != nullptr) *processor = 0;
  if (node != nullptr) *node = 0;
  return 0;
}

RICERCAR_HOOK int sched_getaffinity(pid_t process, size_t size, cpu_set_t* set) {
  if (!controlled()) return RICERCAR_BEHIND(sched_getaffinity)(process, size, set);
  fill_processors(set, size);
  return 0;
}
RICERCAR_HOOK int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* set) {
  if (!controlled()) return RICERCAR_BEHIND(pthread_getaffinity_np)(thread, size, set);
  fill_processors(set, size);
  return 0;
}
// All tasks share one kernel thread: where it runs is none of the program's business.
RICERCAR_HOOK int sched_setaffinity(pid_t process, size_t size, const cpu_set_t* set) {
  return controlled() ? 0 : RICERCAR_BEHIND(sched_setaffinity)(process, size, set);
}
RICERCAR_HOOK int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t* set) {
  return controlled() ? 0 : RICERCAR_BEHIND(pthread_setaffinity_np)(thread, size, set);
}
