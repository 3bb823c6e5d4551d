// A global std::condition_variable is destroyed when main returns, while a detached worker may
// still wait in it.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable never_notified;

void work() {
  std::unique_lock lock(mutex);
  while (true) never_notified.wait(lock);
}

}  // namespace

int main() {
  std::thread(work).detach();  // <- bug: after
  return 0;
}
