// Two stages: a writer updates two values under two locks, one after the other; a reader that comes
// between the stages sees the first value without the second.
// arguments: 1 1
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex first_mutex;
std::mutex second_mutex;
std::atomic<int> first = 0;  // atomic, because the second stage reads it without first_mutex
int second = 0;

void write_both() {
  {
    std::lock_guard guard(first_mutex);
    first = 1;  // <- why: writes
  }
  std::lock_guard guard(second_mutex);
  second = first + 1;
}

void read_both() {
  int seen_first = 0;
  {
    std::lock_guard guard(first_mutex);
    if (first == 0) return;
    seen_first = first;  // <- why: reads
  }
  std::lock_guard guard(second_mutex);
  assert(second == seen_first + 1);  // <- bug: fails // <- why: reads
}

}  // namespace

int main(int argc, char** argv) {
  const int writers = argc > 1 ? std::atoi(argv[1]) : 1;
  const int readers = argc > 2 ? std::atoi(argv[2]) : 1;
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) threads.emplace_back(write_both);
  for (int i = 0; i < readers; ++i) threads.emplace_back(read_both);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
