// Main gives the mutex back before it joins the worker. The bug twin is
// bug/deadlock/join_with_lock_held.cc.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int results = 0;

void work() {
  std::lock_guard guard(mutex);
  ++results;
}

}  // namespace

int main() {
  std::thread worker(work);
  {
    std::lock_guard guard(mutex);
    results += 0;
  }
  worker.join();
  return results - 1;
}
