// _Exit with status 2, past all exit handlers, from a watchdog whose sleep ends before the work is
// done.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> done = false;

void work() { done = true; }

void watch() {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!done) std::_Exit(2);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread watchdog(watch);
  std::thread worker(work);
  watchdog.join();
  worker.join();
  return 0;
}
