// The queue of work_stealing_queue.cc with objects that know their state: whoever takes one finds
// that it was taken before, at once and not only in the end.
// arguments: 2 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr int kMost = 100;

struct Work {
  std::atomic<bool> was_taken = false;

  void take() {
    const bool is_done = was_taken.exchange(true);
    assert(!is_done);  // <- bug: fails
  }
};

std::mutex thieves;
std::atomic<int> head = 0;
std::atomic<int> tail = 0;
Work all[kMost];
std::atomic<Work*> items[kMost];

void push(Work* work) {
  items[tail] = work;
  tail = tail + 1;
}

Work* pop() {
  const int last = tail - 1;
  tail = last;
  if (head <= last) return items[last];
  tail = last + 1;
  std::lock_guard guard(thieves);
  if (head >= tail) return nullptr;
  tail = tail - 1;
  return items[tail];
}

Work* steal() {
  std::lock_guard guard(thieves);
  const int first = head;
  if (first >= tail) return nullptr;
  head = first + 1;  // too late: the owner may have passed
  return items[first];
}

void rob() {
  if (Work* work = steal()) work->take();
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  const int thief_count = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < thief_count; ++i) threads.emplace_back(rob);
  for (int i = 0; i < count; ++i) push(&all[i]);
  while (Work* work = pop()) work->take();
  for (std::thread& thread : threads) thread.join();
  return 0;
}
