// The write of the second thread happens only if its critical section came second, so the lock
// really orders the writes. The bug twin is bug/data-race/hidden_by_lock_order.cc.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int value = 0;
bool handed_over = false;

void write_and_lock() {
  value = 1;
  std::lock_guard guard(mutex);
  handed_over = true;
}

void lock_and_write() {
  bool mine = false;
  {
    std::lock_guard guard(mutex);
    mine = handed_over;
  }
  if (mine) value = 2;
}

}  // namespace

int main() {
  std::thread one(write_and_lock);
  std::thread two(lock_and_write);
  one.join();
  two.join();
  assert(value == 1 || value == 2);
  return 0;
}
