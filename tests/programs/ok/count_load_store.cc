// Two threads load and store one atomic variable n times each. There are 328, 3334, 34904 and
// 372436 Mazurkiewicz traces for n = 3 to 6.
// arguments: 3
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<int> x = 0;

void load_and_store(int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int seen = x.load();
    x.store(seen + 1);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  std::thread one(load_and_store, rounds);
  std::thread two(load_and_store, rounds);
  one.join();
  two.join();
  assert(x >= 1 && x <= 2 * rounds);
  return 0;
}
