// Three threads that meet so often that no search comes to an end within a test. They race for a
// variable, and few orders of what they do break an assertion. With the argument `crash` one order
// brings the process down; with `few` there is little to search, and nothing wrong.
#include <atomic>
#include <cassert>
#include <cstring>
#include <thread>
#include <vector>

std::atomic<int> turns{0};
std::atomic<int> order{0};
int raced = 0;

int main(int argc, char** argv) {
  const bool crashes = argc > 1 && std::strcmp(argv[1], "crash") == 0;
  const bool is_small = argc > 1 && std::strcmp(argv[1], "few") == 0;
  std::vector<std::thread> threads;
  for (int i = 1; i <= 3; ++i) {
    threads.emplace_back([=] {
      for (int turn = 0; turn < (is_small ? 2 : 4); ++turn) turns.fetch_add(1);
      order.store(order.load() * 4 + i);
      if (!is_small) raced = i;
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (crashes && order == 16 * 2 + 4 * 1 + 3) *static_cast<volatile int*>(nullptr) = 1;
  assert(is_small || order != 16 * 3 + 4 * 2 + 1);
}
