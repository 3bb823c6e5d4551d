// Takes a lock 100 times in each of two threads; with an argument, only as often as the scheduler
// says.
#include <ricercar/ricercar.h>

#include <mutex>
#include <thread>

namespace {

std::mutex mutex;

void take(int rounds) {
  for (int i = 0; i < rounds; ++i) std::lock_guard guard(mutex);
}

}  // namespace

int main(int count, char**) {
  const int rounds = count > 1 && ricercar::choose(2) == 0 ? 1 : 100;
  std::thread one(take, rounds);
  std::thread two(take, rounds);
  one.join();
  two.join();
}
