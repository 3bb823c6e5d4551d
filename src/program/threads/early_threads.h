// Threads that the static constructors of a whole program create before main. No execution runs at
// that time, and every execution needs them anew: they are kept, and each execution starts them
// before main's first step, as if main had created them. Their handles are those of the task slots
// that come after main's, so what the constructors have stored stays valid in every execution.
//
// One kernel thread uses this: the one that runs the constructors and then main.
#pragma once

#include <pthread.h>

#include <cstdint>

#include "model/options.h"
#include "threads/thread.h"

namespace ricercar::inline threads {

// Those of one program. Not in a container: a constructor of a library may come before the
// runtime's own.
class EarlyThreads {
 public:
  // For the search, around the constructors: threads that are created in between are kept.
  void begin(Backend backend);
  void end() { keeps_ = false; }
  bool keeps() const { return keeps_; }

  // For the hooks.
  int create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
             void* argument, std::uint64_t site);
  // While they are kept; never once main has begun.
  bool contains(pthread_t handle) { return keeps_ && find(handle) != nullptr; }
  int detach(pthread_t handle);
  int set_name(pthread_t handle, const char* name);
  // A thread that was created before the runtime was there to keep it.
  void note_escaped(std::uint64_t site) { escaped_site_ = site; }

  // The first that main does in each execution.
  void start() const;

 private:
  struct Thread {
    pthread_t handle = 0;
    ThreadStart start;
    char name[sizeof Task::name] = {};
  };

  Thread* find(pthread_t handle);

  Thread threads_[max_tasks] = {};
  std::uint32_t count_ = 0;
  bool keeps_ = false;
  Backend backend_ = Backend::fibers;
  std::uint64_t escaped_site_ = 0;
};

// Ends the search: the thread cannot end before it has begun.
[[noreturn]] void early_thread_joined(std::uint64_t site);

}  // namespace ricercar::inline threads
