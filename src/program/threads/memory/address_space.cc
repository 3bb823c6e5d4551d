#include "threads/memory/address_space.h"

#include "threads/memory/memory_state.h"

namespace ricercar::inline threads {
namespace {

constexpr auto& state = memory_state.address_space;

// In pages, as the first number of the file says; 0: unknown.
long address_space_size() {
  char text[64];
  const long length = state.memory_sizes.read_at(text, sizeof text, 0);
  long size = 0;
  for (long i = 0; i < length && text[i] >= '0' && text[i] <= '9'; ++i) {
    size = size * 10 + (text[i] - '0');
  }
  return size;
}

}  // namespace

void address_space_take() {
  state.last_size = address_space_size();
  state.grown_windows = 0;
}

// One window may have grown because the runtime needed stacks for more tasks.
bool address_space_leaks() {
  const long size = address_space_size();
  const bool grown = size - state.last_size >= static_cast<long>(address_space_window);
  state.grown_windows = grown ? state.grown_windows + 1 : 0;
  state.last_size = size;
  return state.grown_windows >= 3;
}

}  // namespace ricercar::inline threads
