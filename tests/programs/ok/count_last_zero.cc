// Last zero: thread i of n sets a[i] = a[i - 1] + 1, and one more thread scans from a[n] down to
// the last zero. There are (n + 3) * 2^(n - 2) Mazurkiewicz traces: 2, 5, 12, 28, 64 for n = 1 to
// 5.
// arguments: 2
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::vector<std::atomic<int>> a;

void find_last_zero(int n) {
  int i = n;
  while (a[i].load() != 0) --i;
  assert(i >= 0);
}

}  // namespace

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 2;
  a = std::vector<std::atomic<int>>(n + 1);
  std::vector<std::thread> threads;
  threads.emplace_back(find_last_zero, n);
  for (int i = 1; i <= n; ++i) threads.emplace_back([i] { a[i].store(a[i - 1].load() + 1); });
  for (std::thread& thread : threads) thread.join();
  return 0;
}
