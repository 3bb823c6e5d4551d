// std::atomic_ref: plain integers are changed by two threads through atomic references only, and
// read plainly when both have been joined.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int counter = 0;
short flags = 0;

void work(short bit) {
  std::atomic_ref<int>(counter).fetch_add(1);
  std::atomic_ref<short>(flags).fetch_or(bit);
}

}  // namespace

int main() {
  std::thread one(work, short{1});
  std::thread two(work, short{2});
  one.join();
  two.join();
  assert(counter == 2);
  assert(flags == 3);
  return 0;
}
