// std::jthread: the destructor asks the thread to stop and joins it; the thread waits in a
// condition_variable_any that the stop request wakes.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace {

std::mutex mutex;
std::condition_variable_any changed;
bool item = false;
bool took_item = false;
bool saw_stop = false;

void work(std::stop_token token) {
  std::unique_lock lock(mutex);
  took_item = changed.wait(lock, token, [] { return item; });
  const bool more = changed.wait(lock, token, [] { return false; });
  assert(!more);
  assert(token.stop_requested());
  saw_stop = true;
}

}  // namespace

int main() {
  {
    std::jthread worker(work);
    assert(worker.get_stop_source().stop_possible());
    std::lock_guard guard(mutex);
    item = true;
    changed.notify_one();
  }
  assert(saw_stop);
  assert(took_item);
  return 0;
}
