// Fences: a plain message is published with relaxed operations between a release and an acquire
// fence, and that is enough to order it. The bug twin is bug/data-race/fences.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message = 0;
std::atomic<bool> ready = false;

void publish() {
  message = 42;
  std::atomic_thread_fence(std::memory_order_release);
  ready.store(true, std::memory_order_relaxed);
}

void receive() {
  if (!ready.load(std::memory_order_relaxed)) return;
  std::atomic_thread_fence(std::memory_order_acquire);
  assert(message == 42);
}

}  // namespace

int main() {
  std::thread publisher(publish);
  std::thread receiver(receive);
  publisher.join();
  receiver.join();
  return 0;
}
