// Two threads spin on bare atomic loads, each for a flag that the other raises first. The bug twin
// is bug/livelock/bare_spin.cc.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> first_raised = false;
std::atomic<bool> second_raised = false;

void raise_and_wait(std::atomic<bool>& other, std::atomic<bool>& own) {
  own = true;
  while (!other.load()) {
  }
}

}  // namespace

int main() {
  std::thread one([] { raise_and_wait(second_raised, first_raised); });
  std::thread two([] { raise_and_wait(first_raised, second_raised); });
  one.join();
  two.join();
  return 0;
}
