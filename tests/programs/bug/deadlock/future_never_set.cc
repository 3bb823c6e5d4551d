// A future that is never set: the worker keeps the promise alive but answers only if the request
// has already arrived.
#include <atomic>
#include <future>
#include <thread>

namespace {

std::promise<int> answer;
std::atomic<bool> requested = false;

void work() {
  if (requested) answer.set_value(42);
}

}  // namespace

int main() {
  std::thread worker(work);
  std::future<int> future = answer.get_future();
  requested = true;
  const int value = future.get();  // <- bug: waits
  worker.join();
  return value - 42;
}
