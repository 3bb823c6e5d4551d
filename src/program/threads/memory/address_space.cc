#include "threads/memory/address_space.h"

#include "threads/memory/private_file.h"

namespace ricercar::inline threads {
namespace {

constinit PrivateFile memory_sizes("/proc/self/statm");
constinit long last_size = 0;  // in pages
constinit unsigned grown_windows = 0;

// In pages, as the first number of the file says; 0: unknown.
long address_space_size() {
  char text[64];
  const long length = memory_sizes.read_at(text, sizeof text, 0);
  long size = 0;
  for (long i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i) {
    size = size * 10 + (text[i] - '0');
  }
  return size;
}

}  // namespace

void address_space_take() {
  last_size = address_space_size();
  grown_windows = 0;
}

// One window may have grown because the runtime needed stacks for more tasks.
bool address_space_leaks() {
  const long size = address_space_size();
  const bool grown = size - last_size >= static_cast<long>(address_space_window);
  grown_windows = grown ? grown_windows + 1 : 0;
  last_size = size;
  return grown_windows >= 3;
}

}  // namespace ricercar::inline threads
