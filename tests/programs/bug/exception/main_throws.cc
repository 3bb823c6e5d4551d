// Main throws: a future hands the exception of an asynchronous task to main, which does not catch
// it. The task fails if it runs before main's update.
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
  std::future<int> quotient = std::async(std::launch::async, divide, 10);
  divisor = 2;
  return quotient.get() == 5 ? 0 : 1;  // <- bug: fails
}
