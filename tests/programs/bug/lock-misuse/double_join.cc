// Double join: main and a reaper each test whether the worker has been joined and then join it;
// both can pass the test.
#include <pthread.h>

#include <atomic>

namespace {

pthread_t worker;
std::atomic<bool> joined = false;

void* work(void*) { return nullptr; }

void join_worker() {
  if (joined) return;
  joined = true;
  pthread_join(worker, nullptr);  // <- bug: fails
}

void* reap(void*) {
  join_worker();
  return nullptr;
}

}  // namespace

int main() {
  pthread_create(&worker, nullptr, work, nullptr);
  pthread_t reaper;
  pthread_create(&reaper, nullptr, reap, nullptr);
  join_worker();
  pthread_join(reaper, nullptr);
  return 0;
}
