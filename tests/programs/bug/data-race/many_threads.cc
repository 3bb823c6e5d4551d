// 1,200 short threads, two at a time. They count under a mutex, except for the last two, which
// forget it. These two run where earlier threads have run.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

constexpr int rounds = 600;

std::mutex mutex;
int total = 0;

void count(int round) {
  std::unique_lock lock(mutex, std::defer_lock);
  if (round < rounds - 1) lock.lock();
  ++total;  // <- bug: reads, writes
}

}  // namespace

int main() {
  for (int round = 0; round < rounds; ++round) {
    std::thread one(count, round);
    std::thread two(count, round);
    one.join();
    two.join();
  }
  assert(total <= 2 * rounds);
}
