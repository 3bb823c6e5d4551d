// Stopping driver, fixed: the worker counts itself in before it checks; a stopper that saw no
// pending work had already announced the stop. The bug twin is bug/assertion/stopping_driver.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> stopping = false;
std::atomic<bool> stopped = false;
std::atomic<int> pending = 1;  // the driver itself counts as one

void leave() {
  if (--pending == 0) stopped = true;
}

void work() {
  ++pending;
  if (!stopping) assert(!stopped);
  leave();
}

void stop() {
  stopping = true;
  leave();
}

}  // namespace

int main() {
  std::thread worker(work);
  std::thread stopper(stop);
  worker.join();
  stopper.join();
  assert(stopped);
  return 0;
}
