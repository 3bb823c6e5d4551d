// The twin of lost_update.cc: reading and writing are one step.
#include <atomic>
#include <cassert>
#include <thread>

int main() {
  std::atomic<int> visitors = 0;
  auto count_one = [&] { visitors.fetch_add(1); };
  std::thread first(count_one);
  std::thread second(count_one);
  first.join();
  second.join();
  assert(visitors == 2);
}
