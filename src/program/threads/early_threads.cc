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

// A thread of the C++ library is created by the library: the program's own line says more.
std::uint64_t program_site(std::uint64_t site) {
  const std::uint64_t place = place_in_executable();
  return place != 0 ? place : site;
}

}  // namespace

void EarlyThreads::begin(Backend backend) {
  if (escaped_site_ != 0) {
    const std::string message =
        "a library creates a thread at " + place_of(escaped_site_) +
        " before Ricercar's runtime is loaded: it cannot be put under control. Link the library "
        "with `ricercar c++' too, or create the thread later.";
    stop_search_now(message.c_str());
  }
  backend_ = backend;
  keeps_ = true;
}

EarlyThreads::Thread* EarlyThreads::find(pthread_t handle) {
  for (std::uint32_t i = 0; i < count_; ++i) {
    if (threads_[i].handle == handle) return &threads_[i];
  }
  return nullptr;
}

int EarlyThreads::create(pthread_t* handle, const pthread_attr_t* attributes,
                         void* (*routine)(void*), void* argument, std::uint64_t site) {
  const ThreadStart start = thread_start(attributes, routine, argument, program_site(site));
  const std::uint32_t slot = count_ + 1;  // the first one is main's
  if (start.stack_size > max_stack_size || slot == max_tasks) return EAGAIN;
  *handle =
      execution.carriers.reserve(execution.tasks[task_id(slot)], slot, backend_, start.stack_size);
  threads_[count_++] = {*handle, start, ""};
  return 0;
}

int EarlyThreads::detach(pthread_t handle) {
  ThreadStart& start = find(handle)->start;
  if (start.detached) return EINVAL;
  start.detached = true;
  return 0;
}

int EarlyThreads::set_name(pthread_t handle, const char* name) {
  Thread& thread = *find(handle);
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

void EarlyThreads::start() const {
  for (std::uint32_t i = 0; i < count_; ++i) {
    Task& task = thread_begin(threads_[i].start);
    RICERCAR_CHECK(handle_of(task) == threads_[i].handle);
    std::strcpy(task.name, threads_[i].name);
  }
}

}  // namespace ricercar::inline threads
