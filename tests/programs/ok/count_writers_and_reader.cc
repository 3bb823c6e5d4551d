// Writers and a reader of one atomic variable: n writes and one read, all dependent. There are (n +
// 1)! Mazurkiewicz traces.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<int> x = 0;

}  // namespace

int main(int argc, char** argv) {
  const int writers = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  for (int i = 1; i <= writers; ++i) threads.emplace_back([i] { x.store(i); });
  threads.emplace_back([writers] {
    const int seen = x.load();
    assert(seen >= 0 && seen <= writers);
  });
  for (std::thread& thread : threads) thread.join();
  return 0;
}
