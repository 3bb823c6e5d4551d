// Depends on a file that it makes by a call that is not put back: what fails when there is no such
// file never fails again. With a second argument there is a bug besides, which comes again every
// time.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <thread>

int main(int count, char** arguments) {
  const bool was_there = access(arguments[1], F_OK) == 0;
  syscall(SYS_openat, AT_FDCWD, arguments[1], O_WRONLY | O_CREAT, 0600);
  std::atomic<int> x{0};
  std::thread thread([&] {
    x = 1;
    x = 0;
  });
  assert(was_there);
  const int seen = x;
  thread.join();
  assert(count < 3 || seen == 0);
  return 0;
}
