// A stop request that wakes nobody: the jthread's worker tests its stop token, but waits in a plain
// condition variable, which the destructor's request does not notify.
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable changed;

void work(std::stop_token token) {
  std::unique_lock lock(mutex);
  while (!token.stop_requested()) changed.wait(lock);  // <- bug: waits // <- why: waits
}

}  // namespace

int main() {
  std::jthread worker(work);
  return 0;  // <- bug: waits
}  // <- bug: waits
