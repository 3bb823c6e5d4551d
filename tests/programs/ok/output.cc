// Output: two threads write lines with printf, with std::osyncstream and with std::cout under a
// mutex. The order of the lines is free.
#include <cstdio>
#include <iostream>
#include <mutex>
#include <syncstream>
#include <thread>

namespace {

std::mutex mutex;

void write_lines(int number) {
  std::printf("printf from thread %d\n", number);
  std::osyncstream(std::cout) << "osyncstream from thread " << number << '\n';
  std::lock_guard guard(mutex);
  std::cout << "cout from thread " << number << std::endl;
}

}  // namespace

int main() {
  std::thread one(write_lines, 1);
  std::thread two(write_lines, 2);
  one.join();
  two.join();
  std::fflush(stdout);
  return 0;
}
