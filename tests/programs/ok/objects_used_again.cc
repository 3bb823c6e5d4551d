// Memory that synchronisation objects have left is used again: by other objects, by new ones of the
// same kind that are made without a call of the library, on stacks and in memory that is never
// given back. What was known about the old ones must not be held against the new ones.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

namespace {

std::atomic<int> done = 0;

// A condition variable is destroyed by its destructor, and made again by writing zeros.
void wait_for_own_thread() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread other([&] {
    const std::lock_guard<std::mutex> guard(mutex);
    ready = true;
    changed.notify_one();
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  other.join();
  ++done;
}

void static_initialiser_after_destroy() {
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    pthread_mutex_lock(&mutex);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&mutex);
    pthread_rwlock_destroy(&lock);
    pthread_mutex_destroy(&mutex);
  }
  ++done;
}

void initialised_again() {
  pthread_mutex_t mutex;
  for (int i = 0; i < 2; ++i) {
    pthread_mutex_init(&mutex, nullptr);
    assert(pthread_mutex_lock(&mutex) == 0);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_destroy(&mutex);
  }
  ++done;
}

// A mutex in the place where a condition variable was, and the other way round.
void different_objects_in_one_place() {
  alignas(16) unsigned char place[64];
  auto* changed = new (place) std::condition_variable;
  changed->notify_one();
  changed->~condition_variable();
  auto* mutex = new (place) std::mutex;
  mutex->lock();
  mutex->unlock();
  mutex->~mutex();
  auto* again = new (place) std::condition_variable;
  again->notify_all();
  again->~condition_variable();
  ++done;
}

void in_an_optional() {
  std::optional<std::condition_variable> changed;
  for (int i = 0; i < 2; ++i) {
    changed.emplace();
    changed->notify_one();
    changed.reset();
  }
  ++done;
}

// The last one to go unlocks and deletes: nobody can come any more.
struct Counted {
  std::mutex mutex;
  int users = 2;
};

void leave(Counted* counted) {
  counted->mutex.lock();
  const bool last = --counted->users == 0;
  counted->mutex.unlock();
  if (last) delete counted;
}

}  // namespace

int main() {
  std::thread first(wait_for_own_thread);
  static_initialiser_after_destroy();
  initialised_again();
  first.join();
  wait_for_own_thread();
  different_objects_in_one_place();
  in_an_optional();
  auto* counted = new Counted;
  std::thread second(leave, counted);
  leave(counted);
  second.join();
  assert(done == 6);
}
