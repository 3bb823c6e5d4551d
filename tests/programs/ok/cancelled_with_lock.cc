// A thread is cancelled while it sleeps with a lock in its hands: its destructor gives it back.
#include <pthread.h>
#include <unistd.h>

#include <mutex>

namespace {

std::mutex mutex;

void* hold(void*) {
  const std::lock_guard guard(mutex);
  usleep(100);
  return nullptr;
}

}  // namespace

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, hold, nullptr);
  pthread_cancel(thread);
  pthread_join(thread, nullptr);
  const std::lock_guard guard(mutex);
  return 0;
}
