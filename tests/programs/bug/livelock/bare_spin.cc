// Two threads spin on bare atomic loads, each for a flag that the other would raise only
// afterwards: no schedule ends.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> first_raised = false;
std::atomic<bool> second_raised = false;

void wait_and_raise(std::atomic<bool>& other, std::atomic<bool>& own) {
  while (!other.load()) {  // <- bug: spins
  }
  own = true;
}

}  // namespace

int main() {
  std::thread one([] { wait_and_raise(second_raised, first_raised); });
  std::thread two([] { wait_and_raise(first_raised, second_raised); });
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
