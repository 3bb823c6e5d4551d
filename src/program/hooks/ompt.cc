// OpenMP as clang compiles it. libomp looks for a tool and tells it what its threads do, by
// OpenMP's own interface for tools (OpenMP 5.1, chapter 4); this is the tool.
#include <cstdint>

#include "threads/entry.h"
#include "threads/openmp.h"

namespace ricercar::openmp {
namespace {

// What a tool may keep with a region, a task or a thread.
union Data {
  std::uint64_t value;
  void* pointer;
};

using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char* name);
using SetCallback = int (*)(int event, AnyFunction callback);

struct Tool {
  int (*initialise)(Lookup lookup, int device, Data* tool);
  void (*finalise)(Data* tool);
  Data data;
};

// The numbers of the interface.
enum Event : int {
  parallel_begin = 3,
  parallel_end = 4,
  task_create = 5,
  task_schedule = 6,
  implicit_task = 7,
  mutex_released = 17,
  sync_region = 23,
  mutex_acquired = 27,
};
enum Endpoint : int { begin = 1, end = 2 };
enum Region : int { taskwait = 5, taskgroup = 6, reduction = 7 };
constexpr int switched_to_another = 7;  // why a task is left: it goes on later

// A task that has dependences keeps this as its data.
constexpr std::uint64_t dependent = 1;

void on_parallel_begin(Data*, const void*, Data*, unsigned, int, const void*) {
  leave_for(Meeting::region_begin);
}
void on_parallel_end(Data*, Data*, int, const void*) { arrive_at(Meeting::region_end); }

void on_implicit_task(int endpoint, Data*, Data*, unsigned, unsigned, int) {
  if (endpoint == begin) {
    arrive_at(Meeting::region_begin);
  } else {
    leave_for(Meeting::region_end);
  }
}

void on_task_create(Data*, const void*, Data* task, int, int has_dependences, const void*) {
  if (task != nullptr) task->value = has_dependences != 0 ? dependent : 0;
  leave_for(Meeting::task_begin);
}

void on_task_schedule(Data*, int why, Data* next) {
  if (why != switched_to_another) leave_for(Meeting::task_end);
  arrive_at(Meeting::task_begin);
  if (next != nullptr && next->value == dependent) arrive_at(Meeting::task_end);
}

void on_sync_region(int kind, int endpoint, Data*, Data*, const void*) {
  if (kind == reduction) return;
  const bool is_barrier = kind != taskwait && kind != taskgroup;
  if (is_barrier && endpoint == begin) leave_for(Meeting::barrier);
  if (endpoint == begin) return;
  if (is_barrier) arrive_at(Meeting::barrier);
  arrive_at(Meeting::task_end);
}

void on_mutex_acquired(int, std::uint64_t lock, const void*) {
  locked(reinterpret_cast<const void*>(lock));
}
void on_mutex_released(int, std::uint64_t lock, const void*) {
  unlocking(reinterpret_cast<const void*>(lock));
}

template <typename Callback>
void set(SetCallback set_callback, Event event, Callback callback) {
  set_callback(event, reinterpret_cast<AnyFunction>(callback));
}

int initialise(Lookup lookup, int, Data*) {
  const auto set_callback = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set_callback == nullptr) return 0;
  set(set_callback, parallel_begin, on_parallel_begin);
  set(set_callback, parallel_end, on_parallel_end);
  set(set_callback, implicit_task, on_implicit_task);
  set(set_callback, task_create, on_task_create);
  set(set_callback, task_schedule, on_task_schedule);
  set(set_callback, sync_region, on_sync_region);
  set(set_callback, mutex_acquired, on_mutex_acquired);
  set(set_callback, mutex_released, on_mutex_released);
  return 1;
}

void finalise(Data*) {}

Tool tool = {initialise, finalise, {0}};

}  // namespace
}  // namespace ricercar::openmp

RICERCAR_HOOK void* ompt_start_tool(unsigned, const char*) { return &ricercar::openmp::tool; }
