// 3,000 short threads, two at a time: one that main joins and one that is detached. They count
// under a mutex, in a variable on main's stack too, and share a variable on their own stacks with a
// function. The detached one goes on writing there after main has been told: whoever gets its stack
// next must not be blamed for that.
// options: --executions 10
#include <cassert>
#include <mutex>
#include <semaphore>
#include <thread>

namespace {

constexpr int rounds = 1500;

std::mutex mutex;
int total = 0;
std::counting_semaphore<> done{0};
thread_local int calls = 0;

__attribute__((noinline)) void add(int* to, int* calls_so_far) {
  ++*to;
  ++*calls_so_far;
}

void count(int* of_round) {
  int own = 0;
  add(&own, &calls);
  const std::lock_guard lock(mutex);
  *of_round += own;
  total += calls;
}

}  // namespace

int main() {
  for (int round = 0; round < rounds; ++round) {
    int of_round = 0;
    std::thread joined([&of_round] { count(&of_round); });
    std::thread([&of_round] {
      int own = 0;
      count(&of_round);
      done.release();
      add(&own, &calls);
    }).detach();
    joined.join();
    done.acquire();
    assert(of_round == 2);
  }
  assert(total == 2 * rounds);
}
