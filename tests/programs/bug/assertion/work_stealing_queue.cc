// A work-stealing queue after Cilk: the owner pushes and pops at the tail without a lock, thieves
// steal at the head under one. A thief must announce the theft before it looks at the tail; this
// one looks first, and the owner pops the same item meanwhile. What was taken does not add up.
// arguments: 2 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kMost = 100;

std::mutex thieves;
std::atomic<int> head = 0;
std::atomic<int> tail = 0;
std::atomic<int> items[kMost];
std::atomic<int> sum = 0;

void push(int item) {
  items[tail] = item;
  tail = tail + 1;
}

bool pop(int& item) {
  const int last = tail - 1;
  tail = last;
  if (head <= last) {
    item = items[last];
    return true;
  }
  tail = last + 1;
  std::lock_guard guard(thieves);
  if (head >= tail) return false;
  tail = tail - 1;
  item = items[tail];
  return true;
}

bool steal(int& item) {
  std::lock_guard guard(thieves);
  const int first = head;
  if (first >= tail) return false;
  head = first + 1;  // too late: the owner may have passed
  item = items[first];
  return true;
}

void rob() {
  int item = 0;
  if (steal(item)) sum += item;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  const int thief_count = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < thief_count; ++i) threads.emplace_back(rob);
  int expected = 0;
  for (int i = 1; i <= count; ++i) {
    push(i);
    expected += i;
  }
  for (int item = 0; pop(item);) sum += item;
  for (std::thread& thread : threads) thread.join();
  assert(sum == expected);  // <- bug: fails
  return 0;
}
