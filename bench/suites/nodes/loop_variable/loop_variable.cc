// Five threads that each are to work with a number of their own (Figure 6.2 of the thesis on Dara).
// The bug `shared`: all look at the variable of the loop, which goes on while they begin. It is
// atomic, so that the wrong number is what is found, not a data race.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
#include <vector>

#include "../common/bug.h"

namespace {

constexpr int workers = 5;

void work(int number) {
  std::printf("%d\n", number);
  assert(number < workers);
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  std::vector<std::thread> threads;
  std::atomic<int> i = 0;
  for (; i < workers; ++i) {
    if (suite::has_bug("shared")) {
      threads.emplace_back([&i] { work(i); });
    } else {
      threads.emplace_back([own = i.load()] { work(own); });
    }
  }
  for (std::thread& thread : threads) thread.join();
}
