// POSIX threads: create, join, the result of a thread by return and by pthread_exit, pthread_self
// and pthread_equal. Correct: each thread is joined once.
#include <pthread.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_t main_thread;
int first_value = 1;
int second_value = 2;

void* return_argument(void* argument) {
  assert(pthread_equal(pthread_self(), main_thread) == 0);
  return argument;
}

void exit_deeply(void* argument) { pthread_exit(argument); }

void* exit_with_argument(void* argument) {
  exit_deeply(argument);
  assert(false);
  return nullptr;
}

}  // namespace

int main() {
  main_thread = pthread_self();
  assert(pthread_equal(pthread_self(), main_thread) != 0);
  pthread_t first;
  pthread_t second;
  expect(0, pthread_create(&first, nullptr, return_argument, &first_value));
  expect(0, pthread_create(&second, nullptr, exit_with_argument, &second_value));
  assert(pthread_equal(first, second) == 0);
  void* first_result = nullptr;
  void* second_result = nullptr;
  expect(0, pthread_join(second, &second_result));
  expect(0, pthread_join(first, &first_result));
  assert(first_result == &first_value);
  assert(second_result == &second_value);
  return 0;
}
