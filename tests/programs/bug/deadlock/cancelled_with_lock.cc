// A thread is cancelled while it sleeps with a lock in its hands, and nobody gives it back: C's
// lock has no destructor.
//
// options: --executions 200
#include <pthread.h>
#include <unistd.h>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void* hold(void*) {
  pthread_mutex_lock(&mutex);  // <- why: locks
  usleep(100);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, hold, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  pthread_mutex_lock(&mutex);  // <- bug: waits // <- why: waits
  pthread_mutex_unlock(&mutex);
  return 0;
}
