// Takes the processor's time stamps for the order in which two threads were created. The one that
// was created first may read it last.
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
  unsigned long long first = 0;
  unsigned long long second = 0;
  std::thread one([&first] { first = stamp(); });
  std::thread two([&second] { second = stamp(); });
  one.join();
  two.join();
  assert(started == 2);
  assert(first < second);  // <- bug: fails
  return 0;
}
