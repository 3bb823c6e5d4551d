// Try-lock with back-off: each thread locks its own mutex and tries the other's; on failure it
// releases its own and starts again. In lock-step both fail for ever, and no thread is ever
// blocked.
#include <mutex>
#include <thread>

namespace {

std::mutex a;
std::mutex b;
int shared = 0;

void lock_both(std::mutex& own, std::mutex& other) {
  while (true) {
    std::lock_guard guard(own);  // <- bug: spins // <- why: locks
    if (other.try_lock()) {      // <- bug: spins // <- why: reads
      ++shared;
      other.unlock();
      return;
    }
  }  // <- bug: spins
}

}  // namespace

int main() {
  std::thread forward([] { lock_both(a, b); });
  std::thread backward([] { lock_both(b, a); });
  forward.join();   // <- bug: waits
  backward.join();  // <- bug: waits
  return 0;
}
