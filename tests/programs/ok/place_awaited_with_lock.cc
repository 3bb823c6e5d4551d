// A queue with one place: who wants to put something in waits for it before it takes
// the lock.
#include <semaphore.h>

#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
sem_t items;
sem_t places;
int length = 0;

void produce(int count) {
  for (int i = 0; i < count; ++i) {
    sem_wait(&places);
    std::lock_guard guard(mutex);
    ++length;
    sem_post(&items);
  }
}

void consume(int count) {
  for (int i = 0; i < count; ++i) {
    sem_wait(&items);
    std::lock_guard guard(mutex);
    --length;
    sem_post(&places);
  }
}

}  // namespace

int main() {
  sem_init(&items, 0, 0);
  sem_init(&places, 0, 1);
  std::thread consumer(consume, 2);
  produce(2);
  consumer.join();
  return 0;
}
