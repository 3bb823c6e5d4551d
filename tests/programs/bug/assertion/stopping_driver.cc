// Stopping driver: a worker checks that the driver is not stopping and only then counts itself in.
// If it is preempted between the two, the driver stops under it.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> stopping = false;
std::atomic<bool> stopped = false;
std::atomic<int> pending = 1;  // the driver itself counts as one

void work() {
  if (stopping) return;
  ++pending;
  assert(!stopped);  // <- bug: fails
  --pending;
}

void stop() {
  stopping = true;
  --pending;
  if (pending == 0) stopped = true;
}

}  // namespace

int main() {
  std::thread worker(work);
  std::thread stopper(stop);
  worker.join();
  stopper.join();
  return 0;
}
