// After the threads of Mozilla's portable runtime: an order violation.
//
// `late-handle`: the handle of a thread is stored after the thread was created. A new thread that
// runs at once and asks for its own handle finds none. In the fixed twin it is held back until the
// handle is there.
#include "extract.h"

namespace hapset {
namespace {

constexpr int messages = 5;

struct Handle {
  bool is_set = false;
  int priority = 0;
};

pthread_mutex_t handle_lock = PTHREAD_MUTEX_INITIALIZER;
Handle handle;
Mailbox mailbox;
Statistics handled;
bool late_handle = false;

int own_priority() {
  pthread_mutex_lock(&handle_lock);
  assert(handle.is_set);
  const int priority = handle.priority;
  pthread_mutex_unlock(&handle_lock);
  return priority;
}

void set_handle() {
  handle.is_set = true;
  handle.priority = 1;
}

void* run_thread(void*) {
  const int priority = own_priority();
  for (int i = 0; i < messages; ++i) {
    int message = 0;
    if (mailbox.take(message)) handled.add(priority);
  }
  return nullptr;
}

pthread_t create_thread() {
  if (!late_handle) pthread_mutex_lock(&handle_lock);
  const pthread_t thread = start(run_thread);
  if (late_handle) pthread_mutex_lock(&handle_lock);
  set_handle();
  pthread_mutex_unlock(&handle_lock);
  return thread;
}

void* run_creator(void*) {
  const pthread_t thread = create_thread();
  for (int i = 0; i < messages; ++i) mailbox.post(i);
  join(thread);
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  late_handle = Arguments(count, words, {"late-handle"}).planted("late-handle");
  const pthread_t creator = start(run_creator);
  join(creator);
  assert(handled.total() <= messages);
  return 0;
}
