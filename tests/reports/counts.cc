// Loses a count. Compiled with -DWANTED=1 it does the same and takes that for right; with
// -DREPAIRED it does something else.
#include <atomic>
#include <cassert>
#include <thread>

#ifndef WANTED
#define WANTED 2
#endif

int main() {
  std::atomic<int> count{0};
  const auto add = [&] {
#ifdef REPAIRED
    count.fetch_add(1);
#else
    const int before = count.load();
    count.store(before + 1);
#endif
  };
  std::thread other(add);
  add();
  other.join();
  assert(count >= WANTED);
}
