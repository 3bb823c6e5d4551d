// A static local variable whose constructor throws the first time: the exception reaches the thread
// that tried, and the next user tries again.
#include <atomic>
#include <cassert>
#include <stdexcept>
#include <thread>

namespace {

std::atomic<int> attempts = 0;
std::atomic<int> failures = 0;

struct Settings {
  Settings() {
    if (attempts.fetch_add(1) == 0) throw std::runtime_error("the first attempt fails");
  }
  int value = 42;
};

const Settings& settings() {
  static const Settings instance;
  return instance;
}

void use() {
  try {
    assert(settings().value == 42);
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
