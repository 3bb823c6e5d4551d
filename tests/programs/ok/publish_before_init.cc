// Publish before initialisation, fixed: the payload is stored first; the release store of the flag
// and its acquire load make even a plain payload safe. The bug twin is
// bug/assertion/publish_before_init.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> ready = false;
int payload = 0;

void publish() {
  payload = 42;
  ready.store(true, std::memory_order_release);
}

void receive() {
  if (ready.load(std::memory_order_acquire)) assert(payload == 42);
}

}  // namespace

int main() {
  std::thread writer(publish);
  std::thread reader(receive);
  writer.join();
  reader.join();
  return 0;
}
