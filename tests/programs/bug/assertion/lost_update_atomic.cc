// Lost update of an atomic: the counter is atomic and free of races, but a load and a store are two
// operations, and an increment between them is lost.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<int> counter = 0;

void increment() { counter.store(counter.load() + 1); }  // <- why: reads, writes

}  // namespace

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(increment);
  for (std::thread& thread : threads) thread.join();
  assert(counter == count);  // <- bug: fails
  return 0;
}
