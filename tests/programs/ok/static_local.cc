// A static local variable whose first use is raced by two threads: it is constructed once, and its
// plain member is seen by both.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> constructions = 0;

struct Settings {
  Settings() {
    ++constructions;
    value = 42;
  }
  int value = 0;
};

const Settings& settings() {
  static const Settings instance;
  return instance;
}

void use() { assert(settings().value == 42); }

}  // namespace

int main() {
  std::thread one(use);
  std::thread two(use);
  one.join();
  two.join();
  assert(constructions == 1);
  return 0;
}
