// The results of the futex call: EAGAIN if the value differs, ETIMEDOUT if nobody wakes, and the
// number of the woken.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cerrno>
#include <thread>

namespace {

std::atomic<int> word = 0;

long wait_on(int expected, const timespec* timeout) {
  return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, timeout, nullptr, 0);
}

long wake(int count) {
  return syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

void wait_for_change() {
  while (word == 0) {
    const long result = wait_on(0, nullptr);
    assert(result == 0 || errno == EAGAIN || errno == EINTR);
  }
}

}  // namespace

int main() {
  const timespec one_ms = {0, 1'000'000};
  long result = wait_on(1, nullptr);
  assert(result == -1 && errno == EAGAIN);
  do {
    result = wait_on(0, &one_ms);
  } while (result == 0);  // a wake-up without reason is allowed
  assert(result == -1 && errno == ETIMEDOUT);
  assert(wake(1) == 0);

  std::thread one(wait_for_change);
  std::thread two(wait_for_change);
  word = 1;
  const long woken = wake(2);
  assert(woken >= 0 && woken <= 2);
  one.join();
  two.join();
  return 0;
}
