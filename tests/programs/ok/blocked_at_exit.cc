// Workers that are blocked when main calls exit: one waits for a condition variable that nobody
// signals, one for a mutex that main holds. The exit handlers run and the status is 0.
#include <pthread.h>

#include <cstdlib>
#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t held_by_main = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never_signalled = PTHREAD_COND_INITIALIZER;  // never destroyed, unlike std's

void wait_for_signal() {
  pthread_mutex_lock(&mutex);
  while (true) pthread_cond_wait(&never_signalled, &mutex);
}

void wait_for_mutex() {
  pthread_mutex_lock(&held_by_main);
  pthread_mutex_unlock(&held_by_main);
}

}  // namespace

int main() {
  pthread_mutex_lock(&held_by_main);
  std::thread(wait_for_signal).detach();
  std::thread(wait_for_mutex).detach();
  std::exit(0);
}
