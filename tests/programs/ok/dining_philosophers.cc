// Dining philosophers, fixed: each takes the fork with the lower number first, so the ring never
// closes. For n philosophers there are 2^n - 2 Mazurkiewicz traces. The bug twin is
// bug/deadlock/dining_philosophers.cc.
// arguments: 2
#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

void eat(std::mutex& lower, std::mutex& higher) {
  std::lock_guard lower_guard(lower);
  std::lock_guard higher_guard(higher);
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::mutex> forks(count);
  std::vector<std::thread> philosophers;
  for (int i = 0; i < count; ++i) {
    const int right = (i + 1) % count;
    const int lower = std::min(i, right);
    const int higher = std::max(i, right);
    philosophers.emplace_back([&forks, lower, higher] { eat(forks[lower], forks[higher]); });
  }
  for (std::thread& philosopher : philosophers) philosopher.join();
  return 0;
}
