// Plain counter, fixed: the second thread starts when the first has been joined, so nothing is
// concurrent. The bug twin is bug/data-race/plain_counter.cc.
#include <cassert>
#include <thread>

namespace {

int counter = 0;

void increment() { ++counter; }

}  // namespace

int main() {
  std::thread one(increment);
  one.join();
  std::thread two(increment);
  two.join();
  ++counter;
  assert(counter == 3);
  return 0;
}
