// Works until its time is over, and yields in between: the same steps repeat thousands of times,
// but time passes.
//
// options: --executions 50
#include <cassert>
#include <chrono>
#include <thread>

namespace {

long work(std::chrono::seconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  long rounds = 0;
  while (std::chrono::steady_clock::now() < end) {
    ++rounds;
    std::this_thread::yield();
  }
  return rounds;
}

}  // namespace

int main() {
  long first = 0;
  std::thread other([&] { first = work(std::chrono::seconds(600)); });
  const long second = work(std::chrono::seconds(300));
  other.join();
  assert(first > 0 && second > 0);
  return 0;
}
