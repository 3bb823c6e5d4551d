// An exception crosses a join: the thread stores it as an exception_ptr, and main rethrows it when
// the thread has been joined.
#include <cassert>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::exception_ptr failure;

void fail() { throw std::runtime_error("failed in the thread"); }

void work() {
  try {
    fail();
  } catch (...) {
    failure = std::current_exception();
  }
}

}  // namespace

int main() {
  std::thread worker(work);
  worker.join();
  assert(failure != nullptr);
  std::string message;
  try {
    std::rethrow_exception(failure);
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  assert(message == "failed in the thread");
  return 0;
}
