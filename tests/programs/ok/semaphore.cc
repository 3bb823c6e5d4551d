// POSIX semaphores: wait, trywait, post and getvalue; two permits, three users, never more than two
// inside.
#include <semaphore.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <thread>

namespace {

sem_t permits;
std::atomic<int> inside = 0;

void expect_success(int result) { assert(result == 0); }

void use() {
  expect_success(sem_wait(&permits));
  const int others = inside.fetch_add(1);
  assert(others < 2);
  inside.fetch_sub(1);
  expect_success(sem_post(&permits));
}

int value() {
  int result = -1;
  expect_success(sem_getvalue(&permits, &result));
  return result;
}

}  // namespace

int main() {
  expect_success(sem_init(&permits, 0, 2));
  std::thread one(use);
  std::thread two(use);
  use();
  one.join();
  two.join();
  assert(value() == 2);
  expect_success(sem_trywait(&permits));
  expect_success(sem_trywait(&permits));
  assert(value() == 0);
  const int result = sem_trywait(&permits);
  assert(result == -1 && errno == EAGAIN);
  expect_success(sem_destroy(&permits));
  return 0;
}
