// Exceptions thrown and caught in two threads that change over inside their handlers: each keeps
// its own stack of caught exceptions, and rethrows its own.
#include <cassert>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
int handled = 0;

struct CountsUncaught {
  ~CountsUncaught() { assert(std::uncaught_exceptions() == 1); }
};

void throw_name(const std::string& name) {
  CountsUncaught local;
  throw std::runtime_error(name);
}

void catch_and_rethrow(const std::string& name) {
  try {
    throw_name(name);
  } catch (const std::runtime_error&) {
    assert(std::uncaught_exceptions() == 0);
    {
      std::lock_guard guard(mutex);
      ++handled;
    }
    throw;
  }
}

void run(const std::string& name) {
  try {
    catch_and_rethrow(name);
    assert(false);
  } catch (const std::runtime_error& error) {
    std::this_thread::yield();
    assert(error.what() == name);
  }
  assert(std::current_exception() == nullptr);
}

}  // namespace

int main() {
  std::thread one(run, "one");
  std::thread two(run, "two");
  one.join();
  two.join();
  assert(handled == 2);
  return 0;
}
