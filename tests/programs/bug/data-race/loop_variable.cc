// Captured loop variable: each thread reads the counter of the loop that is still starting threads.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

std::atomic<int> sum = 0;

}  // namespace

int main() {
  std::vector<std::thread> threads;
  threads.reserve(2);
  int i = 0;
  for (i = 0; i < 2; ++i) threads.emplace_back([&i] { sum += i; });  // <- bug: reads, writes
  for (std::thread& thread : threads) thread.join();
  assert(sum >= 0 && sum <= 4);
  return 0;
}
