// A latch that waits for two, while one of the two workers counts down only if it was not cancelled
// first.
#include <atomic>
#include <latch>
#include <thread>

namespace {

std::latch done(2);
std::atomic<bool> cancelled = false;

void work() { done.count_down(); }

void work_unless_cancelled() {
  if (!cancelled) done.count_down();
}

}  // namespace

int main() {
  std::thread one(work);
  std::thread two(work_unless_cancelled);
  cancelled = true;
  done.wait();  // <- bug: waits
  one.join();
  two.join();
  return 0;
}
