// Writes sixteen megabytes to both outputs, and then fails in one of two schedules.
#include <atomic>
#include <cassert>
#include <cstdio>
#include <string>
#include <thread>

int main() {
  const std::string line(1 << 16, 'x');
  for (int i = 0; i < 128; ++i) {
    std::fputs(line.c_str(), stdout);
    std::fputs(line.c_str(), stderr);
  }
  std::puts("\nthe last line");
  std::fflush(stdout);
  std::atomic<bool> ready = false;
  std::thread setter([&ready] { ready = true; });
  const bool seen = ready;
  setter.join();
  assert(seen);
  return 0;
}
