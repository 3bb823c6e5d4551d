// Spinning on a bare atomic load: nothing in the loop tells the scheduler that the thread waits.
// Under a fair schedule it ends. The bug twin is bug/livelock/flag_never_raised.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> raised = false;
int message = 0;

void raise_flag() {
  message = 42;
  raised.store(true, std::memory_order_release);
}

}  // namespace

int main() {
  std::thread raiser(raise_flag);
  while (!raised.load(std::memory_order_acquire)) {
  }
  assert(message == 42);
  raiser.join();
  return 0;
}
