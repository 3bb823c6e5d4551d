// Atomic wait without a notification: the writer changes the value and does not notify. A reader
// that is already waiting sleeps for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> ready = 0;

void wait_until_ready() { ready.wait(0); }

void set_ready() { ready = 1; }

}  // namespace

int main() {
  std::thread waiter(wait_until_ready);
  std::thread setter(set_ready);
  waiter.join();
  setter.join();
  return 0;
}
