// std::call_once whose first call throws: the exception reaches that caller, and a later one tries
// again.
#include <atomic>
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

std::once_flag flag;
int attempts = 0;
std::atomic<int> failures = 0;

void initialise() {
  if (++attempts == 1) throw std::runtime_error("the first attempt fails");
}

void use() {
  try {
    std::call_once(flag, initialise);
  } catch (const std::runtime_error&) {
    ++failures;
  }
}

}  // namespace

int main() {
  std::thread one(use);
  std::thread two(use);
  one.join();
  two.join();
  assert(failures == 1);
  assert(attempts == 2);
  return 0;
}
