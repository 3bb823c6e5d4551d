// A pipe between two steps of main: a thread writes one byte and is joined before main reads it.
// The bug twin is bug/hang/read_from_pipe.cc.
#include <unistd.h>

#include <cassert>
#include <thread>

namespace {

int ends[2];

void write_byte() {
  const char byte = 'a';
  const ssize_t written = write(ends[1], &byte, 1);
  assert(written == 1);
}

}  // namespace

int main() {
  const int result = pipe(ends);
  assert(result == 0);
  std::thread writer(write_byte);
  writer.join();
  char byte = 0;
  const ssize_t count = read(ends[0], &byte, 1);
  assert(count == 1 && byte == 'a');
  close(ends[0]);
  close(ends[1]);
  return 0;
}
