// A write to a pipe that nobody reads any more, in some schedules.
#include <unistd.h>

#include <thread>

int main() {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  std::thread writer([&] {
    if (write(ends[1], "x", 1) != 1) _exit(1);
  });
  std::thread closer([&] { close(ends[0]); });
  writer.join();
  closer.join();
  return 0;
}
