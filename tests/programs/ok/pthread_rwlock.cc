// Reader-writer lock: two readers may be inside together, a writer is alone, and the try variants
// say EBUSY while main holds the lock the wrong way.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cerrno>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int value = 0;
std::atomic<int> readers_inside = 0;

void* read_value(void*) {
  expect(0, pthread_rwlock_rdlock(&lock));
  ++readers_inside;
  assert(value == 0 || value == 1);
  --readers_inside;
  expect(0, pthread_rwlock_unlock(&lock));
  return nullptr;
}

void* write_value(void*) {
  expect(0, pthread_rwlock_wrlock(&lock));
  assert(readers_inside == 0);
  ++value;
  expect(0, pthread_rwlock_unlock(&lock));
  return nullptr;
}

void* try_while_reading(void*) {
  expect(EBUSY, pthread_rwlock_trywrlock(&lock));
  expect(0, pthread_rwlock_tryrdlock(&lock));
  expect(0, pthread_rwlock_unlock(&lock));
  return nullptr;
}

void* try_while_writing(void*) {
  expect(EBUSY, pthread_rwlock_trywrlock(&lock));
  expect(EBUSY, pthread_rwlock_tryrdlock(&lock));
  return nullptr;
}

void run_to_end(void* (*body)(void*)) {
  pthread_t thread;
  expect(0, pthread_create(&thread, nullptr, body, nullptr));
  expect(0, pthread_join(thread, nullptr));
}

}  // namespace

int main() {
  pthread_t reader;
  pthread_t writer;
  expect(0, pthread_create(&reader, nullptr, read_value, nullptr));
  expect(0, pthread_create(&writer, nullptr, write_value, nullptr));
  read_value(nullptr);
  expect(0, pthread_join(reader, nullptr));
  expect(0, pthread_join(writer, nullptr));
  assert(value == 1);

  expect(0, pthread_rwlock_rdlock(&lock));
  run_to_end(try_while_reading);
  expect(0, pthread_rwlock_unlock(&lock));
  expect(0, pthread_rwlock_trywrlock(&lock));
  run_to_end(try_while_writing);
  expect(0, pthread_rwlock_unlock(&lock));
  expect(0, pthread_rwlock_destroy(&lock));
  return 0;
}
