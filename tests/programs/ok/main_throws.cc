// The divisor is set before the task starts, so its future never holds an exception. The bug twin
// is bug/exception/main_throws.cc.
#include <atomic>
#include <future>
#include <stdexcept>

namespace {

std::atomic<int> divisor = 0;

int divide(int number) {
  const int seen = divisor;
  if (seen == 0) throw std::domain_error("division by zero");
  return number / seen;
}

}  // namespace

int main() {
  divisor = 2;
  std::future<int> quotient = std::async(std::launch::async, divide, 10);
  return quotient.get() == 5 ? 0 : 1;
}
