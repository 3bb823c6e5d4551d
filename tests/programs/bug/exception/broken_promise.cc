// Broken promise: the worker gives up without setting a value if it is told to stop first, and main
// does not expect the std::future_error.
#include <atomic>
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
  std::thread(work, std::move(promise)).detach();
  stop = true;
  return future.get() == 42 ? 0 : 1;  // <- bug: fails
}
