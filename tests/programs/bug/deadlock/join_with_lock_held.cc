// Join with a lock held: main joins the worker while it holds the mutex that the worker needs to
// finish.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int results = 0;

void work() {
  std::lock_guard guard(mutex);  // <- bug: waits // <- why: waits
  ++results;
}

}  // namespace

int main() {
  std::thread worker(work);
  std::lock_guard guard(mutex);  // <- why: locks
  worker.join();                 // <- bug: waits // <- why: waits
  return results - 1;
}
