// The time stamps of two threads differ, and each lies between those that the main thread reads
// before and after.
#include <x86intrin.h>

#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> started = 0;

unsigned long long stamp() {
  ++started;
  return __rdtsc();
}

}  // namespace

int main() {
  const unsigned long long before = stamp();
  unsigned long long first = 0;
  unsigned long long second = 0;
  std::thread one([&first] { first = stamp(); });
  std::thread two([&second] { second = stamp(); });
  one.join();
  two.join();
  assert(started == 3);
  const unsigned long long after = stamp();
  assert(before < first && before < second && first != second);
  assert(first < after && second < after);
  return 0;
}
