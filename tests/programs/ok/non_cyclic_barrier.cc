// Non-cyclic barrier, fixed: the waiting threads wait for a new generation, which no later arrival
// can undo. The bug twins are bug/deadlock/non_cyclic_barrier.cc and
// bug/assertion/non_cyclic_barrier.cc.
// arguments: 2 2
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable changed;
int arrived = 0;
int generation = 0;

// Returns the number of phases that are complete.
int arrive_and_wait(int parties) {
  std::unique_lock lock(mutex);
  const int mine = generation;
  if (++arrived == parties) {
    arrived = 0;
    ++generation;
    changed.notify_all();
  }
  while (generation == mine) changed.wait(lock);
  return mine + 1;
}

}  // namespace

int main(int argc, char** argv) {
  const int parties = argc > 1 ? std::atoi(argv[1]) : 2;
  const int phases = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < parties; ++i) {
    threads.emplace_back([=] {
      for (int phase = 1; phase <= phases; ++phase) {
        const int complete = arrive_and_wait(parties);
        assert(complete == phase);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return 0;
}
