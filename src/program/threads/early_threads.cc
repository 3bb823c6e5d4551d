#include "threads/early_threads.h"

#include <errno.h>

#include <cstring>
#include <string>

#include "threads/execution.h"
#include "threads/own_code.h"
#include "threads/process.h"
#include "threads/thread.h"

namespace ricercar::inline threads {
namespace {

struct EarlyThread {
  pthread_t handle;
  ThreadStart start;
  char name[sizeof Task::name];
};

// A thread of the C++ library is created by the library: the program's own line says more.
std::uint64_t program_site(std::uint64_t site) {
  const std::uint64_t place = place_in_executable();
  return place != 0 ? place : site;
}

// Not in a container: a constructor of a library may come before the runtime's own.
constinit EarlyThread threads[max_tasks] = {};
constinit std::uint32_t thread_count = 0;
constinit bool keeping = false;
constinit Backend used_backend = Backend::fibers;
constinit std::uint64_t escaped_site = 0;

EarlyThread* find(pthread_t handle) {
  for (std::uint32_t i = 0; i < thread_count; ++i) {
    if (threads[i].handle == handle) return &threads[i];
  }
  return nullptr;
}

}  // namespace

void early_threads_begin(Backend backend) {
  if (escaped_site != 0) {
    const std::string message =
        "a library creates a thread at " + place_of(escaped_site) +
        " before Ricercar's runtime is loaded: it cannot be put under control. Link the library "
        "with `ricercar c++' too, or create the thread later.";
    stop_search_now(message.c_str());
  }
  used_backend = backend;
  keeping = true;
}

void early_threads_end() { keeping = false; }
bool keeps_early_threads() { return keeping; }

int early_thread_create(pthread_t* handle, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument, std::uint64_t site) {
  const ThreadStart start = thread_start(attributes, routine, argument, program_site(site));
  const std::uint32_t slot = thread_count + 1;  // the first one is main's
  if (start.stack_size > max_stack_size || slot == max_tasks) return EAGAIN;
  *handle = execution.carriers().reserve(execution.task(task_id(slot)), slot, used_backend,
                                         start.stack_size);
  threads[thread_count++] = {*handle, start, ""};
  return 0;
}

bool is_early_thread(pthread_t handle) { return keeping && find(handle) != nullptr; }

int early_thread_detach(pthread_t handle) {
  ThreadStart& start = find(handle)->start;
  if (start.detached) return EINVAL;
  start.detached = true;
  return 0;
}

int early_thread_set_name(pthread_t handle, const char* name) {
  EarlyThread& thread = *find(handle);
  if (std::strlen(name) >= sizeof thread.name) return ERANGE;
  std::strcpy(thread.name, name);
  return 0;
}

void early_thread_joined(std::uint64_t site) {
  const std::string message =
      "a static constructor joins a thread at " + place_of(program_site(site)) +
      ": threads that are created before main begin with main, so one that is joined before main "
      "cannot be put under control. Join it in main or in a static destructor.";
  stop_search_now(message.c_str());
}

void note_escaped_thread(std::uint64_t site) { escaped_site = site; }

void start_early_threads() {
  for (std::uint32_t i = 0; i < thread_count; ++i) {
    Task& task = thread_begin(threads[i].start);
    RICERCAR_CHECK(handle_of(task) == threads[i].handle);
    std::strcpy(task.name, threads[i].name);
  }
}

}  // namespace ricercar::inline threads
