// Broken promise, expected: main catches the std::future_error of a worker that gave up. The bug
// twin is bug/exception/broken_promise.cc.
#include <atomic>
#include <cassert>
#include <future>
#include <thread>
#include <utility>

namespace {

std::atomic<bool> stop = false;

void work(std::promise<int> promise) {
  if (stop) return;
  promise.set_value(42);
}

}  // namespace

int main() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread worker(work, std::move(promise));
  stop = true;
  try {
    assert(future.get() == 42);
  } catch (const std::future_error& error) {
    assert(error.code() == std::future_errc::broken_promise);
  }
  worker.join();
  return 0;
}
