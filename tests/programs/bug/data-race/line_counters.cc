// The compiler counts how often each line runs, and all threads add to the same counters; that is
// no race, but what they count here is.
// libraries: --coverage
#include <cassert>
#include <thread>

namespace {

int shared = 0;

void add(int rounds) {
  // clang reads before the loop.
  for (int i = 0; i < rounds; ++i) {    // <- bug: reads
    shared += shared % 2 == 0 ? 1 : 3;  // <- bug: reads, writes
  }
}

}  // namespace

int main() {
  std::thread one(add, 2);
  std::thread two(add, 2);
  one.join();
  two.join();
  assert(shared > 0);
  return 0;
}
