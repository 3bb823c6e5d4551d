// Spinning with yield: a thread waits for a flag that another one raises, yielding in between.
// Under a fair schedule it ends. The bug twin is bug/livelock/flag_never_raised.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> raised = false;
int message = 0;

void raise_flag() {
  message = 42;
  raised = true;
}

}  // namespace

int main() {
  std::thread raiser(raise_flag);
  while (!raised) std::this_thread::yield();
  assert(message == 42);
  raiser.join();
  return 0;
}
