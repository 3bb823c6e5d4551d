// std::promise and std::future: a value, an exception, a broken promise, a second set_value that is
// refused, and timed waits before and after the result.
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

namespace {

using std::chrono::milliseconds;

void check_value() {
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  const std::future_status before = future.wait_for(milliseconds(1));
  assert(before == std::future_status::timeout);
  std::thread setter([&promise] { promise.set_value(42); });
  const std::future_status during = future.wait_for(milliseconds(1));
  assert(during == std::future_status::timeout || during == std::future_status::ready);
  assert(future.get() == 42);
  setter.join();
}

void check_exception() {
  std::promise<void> promise;
  std::thread setter([&promise] {
    promise.set_exception(std::make_exception_ptr(std::runtime_error("no result")));
  });
  bool caught = false;
  try {
    promise.get_future().get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  setter.join();
  assert(caught);
}

template <typename Action>
void expect_future_error(std::future_errc expected, Action action) {
  bool caught = false;
  try {
    action();
  } catch (const std::future_error& error) {
    caught = error.code() == expected;
  }
  assert(caught);
}

}  // namespace

int main() {
  check_value();
  check_exception();

  std::promise<int> abandoned;
  std::future<int> broken = abandoned.get_future();
  std::thread abandoner([promise = std::move(abandoned)] {});
  expect_future_error(std::future_errc::broken_promise, [&broken] { broken.get(); });
  abandoner.join();

  std::promise<int> satisfied;
  satisfied.set_value(1);
  expect_future_error(std::future_errc::promise_already_satisfied,
                      [&satisfied] { satisfied.set_value(2); });
  assert(satisfied.get_future().get() == 1);
  return 0;
}
