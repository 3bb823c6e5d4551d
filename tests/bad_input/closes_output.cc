// Closes all that it could write to, and writes.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <iostream>
#include <thread>

int main() {
  std::atomic<int> order = 0;
  std::thread closer([&order] {
    ++order;
    close(STDOUT_FILENO);
    ++order;
    close(STDERR_FILENO);
  });
  std::printf("to standard output\n");
  ++order;
  std::cerr << "to standard error\n";
  closer.join();
  std::fflush(stdout);
  return 0;
}
