// A program that begins like a daemon: it closes every descriptor that it might have inherited, one
// by one, by range and by the list in /proc, and points standard input to /dev/null. Then two
// threads talk through a pipe, which gets the lowest free numbers, and close it themselves.
#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <cstdlib>
#include <thread>

namespace {

constexpr int highest = 1023;

void close_one_by_one() {
  for (int number = 3; number <= highest; ++number) {
    if (fcntl(number, F_GETFD) != -1) close(number);
    close(number);
  }
}

void close_by_list() {
  DIR* folder = opendir("/proc/self/fd");
  assert(folder != nullptr);
  while (const dirent* entry = readdir(folder)) {
    const int number = std::atoi(entry->d_name);
    if (number > 2 && number != dirfd(folder)) close(number);
  }
  closedir(folder);
}

void redirect_input() {
  const int null = open("/dev/null", O_RDWR);
  assert(null == 3);
  assert(dup2(null, STDIN_FILENO) == STDIN_FILENO);
  assert(close(null) == 0);
}

}  // namespace

int main() {
  close_one_by_one();
  close_by_list();
  assert(close_range(3, ~0U, 0) == 0);
  assert(syscall(SYS_close_range, 3, ~0U, 0) == 0);
  redirect_input();
  for (int number = 3; number <= highest; ++number) assert(fcntl(number, F_GETFD) == -1);

  int ends[2];
  assert(pipe(ends) == 0 && ends[0] == 3 && ends[1] == 4);
  std::thread writer([&ends] {
    assert(write(ends[1], "x", 1) == 1);
    assert(close(ends[1]) == 0);
  });
  std::thread reader([&ends] {
    char byte = 0;
    assert(read(ends[0], &byte, 1) == 1 && byte == 'x');
    assert(read(ends[0], &byte, 1) == 0);
    assert(close(ends[0]) == 0);
  });
  writer.join();
  reader.join();
}
