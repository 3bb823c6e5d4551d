// A condition variable is destroyed while a thread waits in it: main gives up on a worker that it
// finds waiting.
#include <pthread.h>

#include <thread>

namespace {

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
bool waiting = false;
bool done = false;

void work() {
  pthread_mutex_lock(&mutex);
  while (!done) {
    waiting = true;
    pthread_cond_wait(&changed, &mutex);
    waiting = false;
  }
  pthread_mutex_unlock(&mutex);
}

}  // namespace

int main() {
  std::thread worker(work);
  pthread_mutex_lock(&mutex);
  if (waiting) pthread_cond_destroy(&changed);  // <- bug: fails
  done = true;
  pthread_mutex_unlock(&mutex);
  worker.join();
  return 0;
}
