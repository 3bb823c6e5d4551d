// Relaxed flag: the payload is published with a relaxed store instead of a release, so a reader
// that sees the flag still races on the payload.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> ready = false;
int payload = 0;

void publish() {
  payload = 42;                                  // <- bug: writes // <- why: writes
  ready.store(true, std::memory_order_relaxed);  // <- why: stores
}

void receive() {
  if (ready.load(std::memory_order_acquire)) assert(payload == 42);  // <- bug: reads
}

}  // namespace

int main() {
  std::thread publisher(publish);
  std::thread receiver(receive);
  publisher.join();
  receiver.join();
  return 0;
}
