// Two clerks count visitors. Every access is atomic, so there is no data race to report; and still
// a visitor gets lost.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> visitors = 0;
  auto count_one = [&] {
    const int seen = visitors.load();
    visitors.store(seen + 1);
  };
  std::thread first(count_one);
  std::thread second(count_one);
  first.join();
  second.join();
  assert(visitors == 2);
}
