// Many choices, so that a best-first search has much that waits.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> counter = 0;

void count() {
  for (int i = 0; i < 12; ++i) ++counter;
}

}  // namespace

int main() {
  std::thread one(count);
  std::thread two(count);
  std::thread three(count);
  one.join();
  two.join();
  three.join();
  return 0;
}
