// A race, a thread that nobody joins, and behind both an assertion that fails if the threads come
// in the wrong order. With arguments: what comes as well.
#include <pthread.h>

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <string>
#include <thread>

namespace {

int hits, misses;
std::atomic<int> order;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void count_hit() { ++hits; }
void count_miss() { ++misses; }

void* leak(void*) { return nullptr; }
void start_helper() {
  pthread_t helper;
  pthread_create(&helper, nullptr, leak, nullptr);
}

void first() {
  count_hit();
  count_miss();
  order = 1;
}

void second(bool asserts) {
  count_hit();
  count_miss();
  const int seen = order;
  if (asserts) assert(seen == 1);
}

void misuse_lock() { pthread_mutex_unlock(&lock); }

bool has(int count, char** arguments, const std::string& word) {
  for (int i = 1; i < count; ++i) {
    if (arguments[i] == word) return true;
  }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (has(count, arguments, "leak")) start_helper();
  std::thread one(first);
  std::thread two(second, !has(count, arguments, "correct"));
  one.join();
  two.join();
  if (has(count, arguments, "misuse")) misuse_lock();
  if (has(count, arguments, "exit")) return 3;
}
