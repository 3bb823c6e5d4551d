// std::async: the asynchronous policy runs in another thread, the deferred one in the thread that
// asks for the result; exceptions arrive at get.
#include <cassert>
#include <chrono>
#include <future>
#include <stdexcept>
#include <thread>

int main() {
  const std::thread::id main_id = std::this_thread::get_id();
  std::future<std::thread::id> asynchronous =
      std::async(std::launch::async, [] { return std::this_thread::get_id(); });
  std::future<std::thread::id> deferred =
      std::async(std::launch::deferred, [] { return std::this_thread::get_id(); });
  assert(deferred.wait_for(std::chrono::seconds(0)) == std::future_status::deferred);
  assert(asynchronous.get() != main_id);
  assert(deferred.get() == main_id);

  std::future<int> failing =
      std::async(std::launch::async, []() -> int { throw std::runtime_error("no result"); });
  bool caught = false;
  try {
    failing.get();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  assert(caught);

  int side_effect = 0;
  {
    std::future<void> joined = std::async(std::launch::async, [&side_effect] { side_effect = 1; });
  }
  assert(side_effect == 1);
  return 0;
}
