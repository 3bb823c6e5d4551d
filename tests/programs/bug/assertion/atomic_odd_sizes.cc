// An atomic of 12 bytes: two threads load it, add one and store it. One of the two is lost if both
// load before one stores. The repaired twin is ok/atomic_odd_sizes.cc.
// libraries: -latomic
#include <array>
#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct Wide {
  std::array<char, 12> bytes = {};
};

std::atomic<Wide> sum;

void add() {
  Wide value = sum.load();  // <- why: reads
  ++value.bytes[11];
  sum.store(value);  // <- why: writes
}

}  // namespace

int main() {
  std::thread one(add);
  std::thread two(add);
  one.join();
  two.join();
  assert(sum.load().bytes[11] == 2);  // <- bug: fails
  return 0;
}
