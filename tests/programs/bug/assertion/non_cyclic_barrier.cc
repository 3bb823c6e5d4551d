// Non-cyclic barrier: the barrier counts arrivals and never starts afresh, so in the second phase
// nobody waits. A fast thread sees a phase that the slow one has not reached.
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;
int arrived = 0;
std::atomic<int> phase_of[2] = {0, 0};

void arrive_and_wait() {
  std::unique_lock lock(mutex);
  ++arrived;
  changed.notify_all();
  while (arrived < 2) changed.wait(lock);
}

void run(int me) {
  for (int phase = 1; phase <= 2; ++phase) {
    phase_of[me] = phase;
    arrive_and_wait();
    assert(phase_of[1 - me] >= phase);  // <- bug: fails
  }
}

}  // namespace

int main() {
  std::thread one(run, 0);
  std::thread two(run, 1);
  one.join();
  two.join();
  return 0;
}
