// Dining philosophers: each takes the left fork first. They starve when all hold their left fork
// and wait for the right one.
// arguments: 2
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

void eat(std::mutex& left, std::mutex& right) {
  std::lock_guard left_guard(left);    // <- why: locks
  std::lock_guard right_guard(right);  // <- bug: waits // <- why: waits
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::mutex> forks(count);
  std::vector<std::thread> philosophers;
  for (int i = 0; i < count; ++i) {
    philosophers.emplace_back([&forks, i, count] { eat(forks[i], forks[(i + 1) % count]); });
  }
  for (std::thread& philosopher : philosophers) philosopher.join();  // <- bug: waits
  return 0;
}
