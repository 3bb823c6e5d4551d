// std::call_once: three callers with different arguments; one of them runs, and all return only
// after it has.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::once_flag flag;
int calls = 0;
int value = 0;

void initialise(int caller) {
  ++calls;
  value = caller;
}

void use(int caller) {
  std::call_once(flag, initialise, caller);
  assert(calls == 1);
  assert(value >= 1 && value <= 3);
}

}  // namespace

int main() {
  std::thread one(use, 1);
  std::thread two(use, 2);
  use(3);
  one.join();
  two.join();
  return 0;
}
