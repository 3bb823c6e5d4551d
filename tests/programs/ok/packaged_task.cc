// std::packaged_task: tasks with a result and with an exception run in another thread; a reset task
// runs again.
#include <cassert>
#include <functional>
#include <future>
#include <stdexcept>
#include <thread>
#include <utility>

namespace {

int halve(int number) {
  if (number % 2 != 0) throw std::invalid_argument("odd");
  return number / 2;
}

}  // namespace

int main() {
  std::packaged_task<int(int)> even_task(halve);
  std::packaged_task<int(int)> odd_task(halve);
  std::future<int> even = even_task.get_future();
  std::future<int> odd = odd_task.get_future();
  std::thread even_thread(std::move(even_task), 8);
  std::thread odd_thread(std::ref(odd_task), 7);
  assert(even.get() == 4);
  bool caught = false;
  try {
    odd.get();
  } catch (const std::invalid_argument&) {
    caught = true;
  }
  assert(caught);
  even_thread.join();
  odd_thread.join();

  odd_task.reset();
  std::future<int> again = odd_task.get_future();
  odd_task(10);
  assert(again.get() == 5);
  return 0;
}
