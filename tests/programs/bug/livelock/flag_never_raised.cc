// A flag that is never raised: the raiser gives up if it comes before the waiter has announced
// itself, and then the waiter spins for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> announced = false;
std::atomic<bool> raised = false;

void raise_flag() {
  if (announced) raised = true;
}

void wait_for_flag() {
  announced = true;
  while (!raised) std::this_thread::yield();  // <- bug: spins
}

}  // namespace

int main() {
  std::thread raiser(raise_flag);
  std::thread waiter(wait_for_flag);
  raiser.join();  // <- bug: waits
  waiter.join();  // <- bug: waits
  return 0;
}
