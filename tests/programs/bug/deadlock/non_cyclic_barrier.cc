// Non-cyclic barrier: the last thread resets the counter that the others wait for. A fast thread
// that enters the next phase before a slow one has left raises it again, and both wait forever.
// arguments: 2 2
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::condition_variable changed;
int arrived = 0;

void arrive_and_wait(int parties) {
  std::unique_lock lock(mutex);
  if (++arrived == parties) {  // <- why: writes
    arrived = 0;
    changed.notify_all();  // <- why: signals
    return;
  }
  while (arrived != 0) changed.wait(lock);  // <- bug: waits // <- why: reads, waits
}

}  // namespace

int main(int argc, char** argv) {
  const int parties = argc > 1 ? std::atoi(argv[1]) : 2;
  const int phases = argc > 2 ? std::atoi(argv[2]) : 2;
  std::vector<std::thread> threads;
  for (int i = 0; i < parties; ++i) {
    threads.emplace_back([=] {
      for (int phase = 0; phase < phases; ++phase) arrive_and_wait(parties);
    });
  }
  for (std::thread& thread : threads) thread.join();  // <- bug: waits
  return 0;
}
