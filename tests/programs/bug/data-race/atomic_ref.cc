// std::atomic_ref beside plain access: one thread increments through an atomic reference, the other
// directly.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int counter = 0;

void increment_atomically() { std::atomic_ref<int>(counter).fetch_add(1); }  // <- bug: writes

void increment_plainly() { ++counter; }  // <- bug: reads, writes

}  // namespace

int main() {
  std::thread one(increment_atomically);
  std::thread two(increment_plainly);
  one.join();
  two.join();
  assert(counter == 1 || counter == 2);
  return 0;
}
