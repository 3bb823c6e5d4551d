// std::shared_future: two threads wait for the same result with copies of the future, and both see
// the same object.
#include <cassert>
#include <future>
#include <string>
#include <thread>

namespace {

void read_result(std::shared_future<std::string> future, const std::string** seen) {
  *seen = &future.get();
  assert(**seen == "result");
}

}  // namespace

int main() {
  std::promise<std::string> promise;
  const std::shared_future<std::string> future = promise.get_future().share();
  const std::string* first = nullptr;
  const std::string* second = nullptr;
  std::thread one(read_result, future, &first);
  std::thread two(read_result, future, &second);
  promise.set_value("result");
  one.join();
  two.join();
  assert(first == second);
  return 0;
}
