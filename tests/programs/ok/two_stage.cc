// Two stages, fixed: the writer keeps the first lock through the second stage, and the reader takes
// both locks in the same order. The bug twin is bug/assertion/two_stage.cc.
// arguments: 1 1
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex first_mutex;
std::mutex second_mutex;
int first = 0;
int second = 0;

void write_both() {
  std::lock_guard first_guard(first_mutex);
  first = 1;
  std::lock_guard second_guard(second_mutex);
  second = first + 1;
}

void read_both() {
  std::lock_guard first_guard(first_mutex);
  if (first == 0) return;
  std::lock_guard second_guard(second_mutex);
  assert(second == first + 1);
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
