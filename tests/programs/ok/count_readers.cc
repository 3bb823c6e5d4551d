// One writer and n readers of one atomic variable; each reader comes before or after the write.
// There are 2^n Mazurkiewicz traces.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::atomic<int> x = 0;

void read_x() {
  const int seen = x.load();
  assert(seen == 0 || seen == 1);
}

}  // namespace

int main(int argc, char** argv) {
  const int readers = argc > 1 ? std::atoi(argv[1]) : 2;
  std::vector<std::thread> threads;
  threads.emplace_back([] { x.store(1); });
  for (int i = 0; i < readers; ++i) threads.emplace_back(read_x);
  for (std::thread& thread : threads) thread.join();
  return 0;
}
