// n threads with k critical sections each on one lock. There are (n * k)! / (k!)^n Mazurkiewicz
// traces: 6 for 2 and 2, 1680 for 3 and 3.
// arguments: 2 2
#include <cassert>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
int sections = 0;

void enter(int times) {
  for (int i = 0; i < times; ++i) {
    std::lock_guard guard(mutex);
    ++sections;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  const int times = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(enter, times);
  for (std::thread& thread : threads) thread.join();
  assert(sections == count * times);
  return 0;
}
