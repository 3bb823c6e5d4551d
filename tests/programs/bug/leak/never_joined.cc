// A thread that is never joined: main waits for the worker's result, but neither joins nor detaches
// it. It shows if the worker has ended when main returns.
#include <pthread.h>
#include <semaphore.h>

namespace {

sem_t done;

void* work(void*) {
  sem_post(&done);
  return nullptr;
}

}  // namespace

int main() {
  sem_init(&done, 0, 0);
  pthread_t worker;
  pthread_create(&worker, nullptr, work, nullptr);  // <- bug: creates // <- why: creates
  sem_wait(&done);
  return 0;
}
