// A thread that is never joined, because main detaches it. The bug twin is
// bug/leak/never_joined.cc.
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
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_detach(worker);
  sem_wait(&done);
  return 0;
}
