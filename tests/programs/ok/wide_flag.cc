// A flag inside of an atomic structure of 12 bytes says that plain data is ready.
// Correct: it is released and acquired, and waiting for it is
// spinning that others end. The bug twin is bug/data-race/wide_flag.cc.
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
  data = 42;
  state.store(State{1, {}}, std::memory_order_release);
}

}  // namespace

int main() {
  std::thread writer(publish);
  while (state.load(std::memory_order_acquire).is_ready == 0) {
  }
  assert(data == 42);
  writer.join();
  return 0;
}
