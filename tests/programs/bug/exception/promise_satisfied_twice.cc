// Two threads answer one promise; the one that comes second gets a std::future_error that it does
// not catch, after a test that both can pass.
#include <atomic>
#include <future>
#include <thread>

namespace {

std::promise<int> promise;
std::atomic<bool> answered = false;

void answer(int value) {
  if (answered) return;
  answered = true;
  promise.set_value(value);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread one(answer, 1);
  std::thread two(answer, 2);
  one.join();
  two.join();
  return 0;
}
