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

namespace ricercar::inline threads {

// For the search, around the constructors: threads that are created in between are kept.
void early_threads_begin(Backend backend);
void early_threads_end();
bool keeps_early_threads();

// For the hooks.
int early_thread_create(pthread_t* handle, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument, std::uint64_t site);
bool is_early_thread(pthread_t handle);  // while they are kept; never once main has begun
int early_thread_detach(pthread_t handle);
int early_thread_set_name(pthread_t handle, const char* name);
// Ends the search: the thread cannot end before it has begun.
[[noreturn]] void early_thread_joined(std::uint64_t site);

// A thread that was created before the runtime was there to keep it.
void note_escaped_thread(std::uint64_t site);

// The first that main does in each execution.
void start_early_threads();

}  // namespace ricercar::inline threads
