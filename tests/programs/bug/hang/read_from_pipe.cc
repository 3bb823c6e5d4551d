// A read that never returns: the reader reads from a pipe; if the writer is cancelled first,
// nothing will ever be written.
// options: --hang 1
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

int ends[2];
std::atomic<bool> cancelled = false;

void read_byte() {
  char byte = 0;
  while (read(ends[0], &byte, 1) == 0) {  // <- bug: fails
  }
}

void write_byte() {
  if (cancelled) return;
  const char byte = 'a';
  while (write(ends[1], &byte, 1) == 0) {
  }
}

}  // namespace

int main() {
  if (pipe(ends) != 0) return 0;
  std::thread writer(write_byte);
  cancelled = true;
  writer.join();
  read_byte();
  return 0;
}
