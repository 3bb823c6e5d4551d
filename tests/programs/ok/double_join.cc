// Main and a reaper agree by one exchange on who joins the worker. The bug twin is
// bug/lock-misuse/double_join.cc.
#include <pthread.h>

#include <atomic>
#include <cassert>

namespace {

pthread_t worker;
std::atomic<bool> joined = false;

void* work(void*) { return nullptr; }

void join_worker() {
  if (joined.exchange(true)) return;
  const int result = pthread_join(worker, nullptr);
  assert(result == 0);
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
