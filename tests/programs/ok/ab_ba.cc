// AB-BA, fixed: both threads take the two locks in the same order. The bug twin is
// bug/deadlock/ab_ba.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex a;
std::mutex b;
int shared = 0;

void lock_both(std::mutex& first, std::mutex& second) {
  std::lock_guard first_guard(first);
  std::lock_guard second_guard(second);
  ++shared;
}

}  // namespace

int main() {
  std::thread one([] { lock_both(a, b); });
  std::thread two([] { lock_both(a, b); });
  one.join();
  two.join();
  assert(shared == 2);
  return 0;
}
