// A join that an early return skips: main leaves at once if the worker has already found the
// answer.
#include <pthread.h>

#include <atomic>

namespace {

std::atomic<bool> found = false;

void* search(void*) {
  found = true;
  return nullptr;
}

}  // namespace

int main() {
  pthread_t worker;
  pthread_create(&worker, nullptr, search, nullptr);  // <- bug: creates
  if (found) return 0;
  pthread_join(worker, nullptr);
  return 0;
}
