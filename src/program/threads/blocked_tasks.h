// Tasks that cannot go on: who waits for whom, and in words.
#pragma once

#include <string>

#include "threads/scheduler.h"
#include "threads/sync_objects.h"

namespace ricercar::inline threads {

// The task wants what `object` stands for. Whether the owner waits, over other owners, for the
// task: nobody outside of such a circle can ever break it.
bool closes_circle(const Scheduler& scheduler, SyncObjects& objects, TaskId task,
                   const void* object);

// "T1 cannot go on: it locks what T2 holds".
std::string describe_blocked(const Scheduler& scheduler, SyncObjects& objects, TaskId id);
// All of them.
std::string describe_blocked(const Scheduler& scheduler, SyncObjects& objects);

}  // namespace ricercar::inline threads
