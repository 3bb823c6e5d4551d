// Fences, one missing: the publisher has a release fence, but the receiver has no acquire fence
// after its relaxed load, so the message is read without order.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

int message = 0;
std::atomic<bool> ready = false;

void publish() {
  message = 42;  // <- bug: writes // <- why: writes
  std::atomic_thread_fence(std::memory_order_release);
  ready.store(true, std::memory_order_relaxed);  // <- why: stores
}

void receive() {
  if (!ready.load(std::memory_order_relaxed)) return;  // <- why: loads
  assert(message == 42);                               // <- bug: reads // <- why: reads
}

}  // namespace

int main() {
  std::thread publisher(publish);
  std::thread receiver(receive);
  publisher.join();
  receiver.join();
  return 0;
}
