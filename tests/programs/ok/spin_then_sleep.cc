// Waits as many locks do: looks many times, counting, yields, looks again, sleeps, and so on. The
// thread that ends the wait sleeps longer than the first rounds take.
// options: --executions 100
#include <atomic>
#include <chrono>
#include <thread>

namespace {

std::atomic<int> flag = 0;
std::atomic<int> other = 0;

bool look(int times) {
  for (int i = 0; i < times; ++i) {
    if (flag.load() != 0) return true;
    other.load();
  }
  return false;
}

void wait_for_flag() {
  using namespace std::chrono_literals;
  while (!look(500)) {
    std::this_thread::yield();
    if (look(500)) return;
    std::this_thread::sleep_for(10us);
  }
}

}  // namespace

int main() {
  using namespace std::chrono_literals;
  std::thread sleeper([] {
    std::this_thread::sleep_for(1ms);
    flag = 1;
  });
  std::thread waiter(wait_for_flag);
  sleeper.join();
  waiter.join();
  return 0;
}
