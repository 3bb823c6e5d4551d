// A barrier for two that only one may reach: a thread that sees the stop flag leaves without
// arriving.
#include <pthread.h>

#include <atomic>
#include <thread>

namespace {

pthread_barrier_t barrier;
std::atomic<bool> stop = false;

void work() {
  if (stop) return;
  pthread_barrier_wait(&barrier);  // <- bug: waits // <- why: arrives, waits
}

}  // namespace

int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread one(work);
  std::thread two(work);
  stop = true;
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
