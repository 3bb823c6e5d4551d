// Spinning with sleep: a thread polls a flag and sleeps a millisecond between two looks. Under a
// fair schedule it ends. The bug twin is bug/livelock/flag_never_raised.cc.
#include <atomic>
#include <cassert>
#include <chrono>
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
  while (!raised) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  assert(message == 42);
  raiser.join();
  return 0;
}
