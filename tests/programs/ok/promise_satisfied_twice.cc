// Two threads want to answer one promise; the test and the claim are one exchange, so exactly one
// does. The bug twin is bug/exception/promise_satisfied_twice.cc.
#include <atomic>
#include <cassert>
#include <future>
#include <thread>

namespace {

std::promise<int> promise;
std::atomic<bool> answered = false;

void answer(int value) {
  if (answered.exchange(true)) return;
  promise.set_value(value);
}

}  // namespace

int main() {
  std::future<int> future = promise.get_future();
  std::thread one(answer, 1);
  std::thread two(answer, 2);
  const int value = future.get();
  assert(value == 1 || value == 2);
  one.join();
  two.join();
  return 0;
}
