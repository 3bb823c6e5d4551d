// A flag inside of an atomic structure of 12 bytes says that plain data is ready.
// The flag is stored and loaded with relaxed order, so nothing
// orders the accesses to the data. The repaired twin is ok/wide_flag.cc.
// libraries: -latomic
#include <atomic>
#include <cassert>
#include <thread>

namespace {

struct State {
  int is_ready = 0;
  int more[2] = {};
};

std::atomic<State> state;
int data = 0;

void publish() {
  data = 42;  // <- bug: writes
  state.store(State{1, {}}, std::memory_order_relaxed);
}

}  // namespace

int main() {
  std::thread writer(publish);
  while (state.load(std::memory_order_relaxed).is_ready == 0) {
  }
  assert(data == 42);  // <- bug: reads
  writer.join();
  return 0;
}
