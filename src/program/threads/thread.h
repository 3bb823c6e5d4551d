// Threads: creation, the end, joining, detaching and thread-local destructors.
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstdint>

#include "threads/task.h"

namespace ricercar::inline threads {

// The body of every task: calls its routine, then what belongs to the end of a thread.
[[noreturn]] void run_thread(Task& task);

// What a new thread begins with.
struct ThreadStart {
  void* (*routine)(void*) = nullptr;
  void* argument = nullptr;
  std::uint64_t site = 0;  // of its creation
  std::size_t stack_size = 0;
  bool detached = false;
  ProcessorMask processors = 0;  // 0: those of its creator
};
ThreadStart thread_start(const pthread_attr_t* attributes, void* (*routine)(void*), void* argument,
                         std::uint64_t site);

int thread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*routine)(void*),
                  void* argument, std::uint64_t site);
// The running task creates it.
Task& thread_begin(const ThreadStart& start);
// `deadline`: null waits for ever; `try_only` never waits.
int thread_join(pthread_t handle, void** result, const std::uint64_t* deadline, bool try_only,
                std::uint64_t site);
int thread_detach(pthread_t handle, std::uint64_t site);
[[noreturn]] void thread_exit(void* result);

// A thread created while no execution runs. Before main it is kept for the executions to start;
// elsewhere it is an ordinary thread that is not under control.
int uncontrolled_create(pthread_t* handle, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument, std::uint64_t site);

// The task behind a handle, or null if it is none of this execution's.
Task* task_of(pthread_t handle);
pthread_t handle_of(const Task& task);

}  // namespace ricercar::inline threads
