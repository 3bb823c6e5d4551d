// A small whole program: 3 threads with 2 lock-increment-unlock each, and a line of output.
#include <cstdio>
#include <mutex>
#include <thread>

std::mutex mutex;
int counter;

int main() {
  const auto work = [] {
    for (int i = 0; i < 2; ++i) {
      const std::lock_guard lock(mutex);
      ++counter;
    }
  };
  std::thread a(work), b(work), c(work);
  a.join();
  b.join();
  c.join();
  std::printf("%d\n", counter);
  return counter == 6 ? 0 : 1;
}
