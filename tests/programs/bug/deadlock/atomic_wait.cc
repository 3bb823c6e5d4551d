// Atomic wait without a notification: the worker sets the flag at the end of its work and does not
// notify. A waiter that has stopped spinning by then sleeps for ever.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> progress = 0;
std::atomic<int> done = 0;

void wait_until_done() { done.wait(0); }  // <- bug: waits // <- why: waits

// The library spins and yields before it sleeps; the work is long enough to outlast that.
void work() {
  for (int step = 1; step <= 8; ++step) progress = step;
  done = 1;  // <- why: writes
}

}  // namespace

int main() {
  std::thread waiter(wait_until_done);
  std::thread worker(work);
  waiter.join();  // <- bug: waits
  worker.join();  // <- bug: waits
  return 0;
}
