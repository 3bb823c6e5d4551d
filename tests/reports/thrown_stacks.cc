// A thread comes to one write after an exception has passed through frames of the same size in the
// same place. Another thread writes after it, without order, so that the report shows how this one
// came there.
#include <atomic>
#include <stdexcept>
#include <thread>

namespace {

int shared = 0;
int mine = 0;
std::atomic<bool> is_done = false;
volatile int keep = 0;

[[gnu::noinline]] void target(int& what, bool throws) {
  ++what;
  if (throws) throw std::runtime_error("back");
  keep = 1;
}

[[gnu::noinline]] void first_caller(int& what, bool throws) {
  target(what, throws);
  keep = 2;
}

[[gnu::noinline]] void second_caller(int& what, bool throws) {
  target(what, throws);
  keep = 3;
}

[[gnu::noinline]] void catches() {
  try {
    first_caller(mine, true);
  } catch (const std::exception&) {
    second_caller(mine, false);
  }
  second_caller(shared, false);
  is_done.store(true, std::memory_order_relaxed);
}

}  // namespace

int main() {
  std::thread odd(catches);
  std::thread plain([] {
    while (!is_done.load(std::memory_order_relaxed)) {
    }
    ++shared;
  });
  odd.join();
  plain.join();
}
