// Detached threads that are still alive when main returns: one may be sleeping, one spinning, one
// not yet started. They use only objects without destructors, so the exit is clean.
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::atomic<bool> never = false;
int counter = 0;

void sleep_and_count() {
  std::this_thread::sleep_for(std::chrono::seconds(10));
  std::lock_guard guard(mutex);
  ++counter;
}

void spin() {
  while (!never) std::this_thread::yield();
}

}  // namespace

int main() {
  std::thread(sleep_and_count).detach();
  std::thread(spin).detach();
  std::lock_guard guard(mutex);
  ++counter;
  return 0;
}
