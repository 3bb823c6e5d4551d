// pthread_exit in C++: destructors and cleanup handlers on the stack of the thread run before it
// can be joined.
#include <pthread.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

int handlers = 0;
int destructors = 0;

struct Local {
  ~Local() { ++destructors; }
};

void handle(void* counter) { ++*static_cast<int*>(counter); }

void leave() {
  Local local;
  pthread_exit(&handlers);
}

void* run(void*) {
  Local local;
  pthread_cleanup_push(handle, &handlers);
  leave();
  pthread_cleanup_pop(0);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, run, nullptr));
  void* result = nullptr;
  expect(0, pthread_join(thread, &result));
  assert(result == &handlers);
  assert(handlers == 1);
  assert(destructors == 2);
  return 0;
}
