// Relaxed flag, fixed: release and acquire order the payload, also through a relaxed
// read-modify-write of a third thread, which continues the release sequence. The bug twin is
// bug/data-race/relaxed_flag.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> stage = 0;
int payload = 0;

void publish() {
  payload = 42;
  stage.fetch_or(1, std::memory_order_release);
}

void pass_on() { stage.fetch_or(2, std::memory_order_relaxed); }

void receive() {
  if ((stage.load(std::memory_order_acquire) & 1) != 0) assert(payload == 42);
}

}  // namespace

int main() {
  std::thread publisher(publish);
  std::thread passer(pass_on);
  std::thread receiver(receive);
  publisher.join();
  passer.join();
  receiver.join();
  return 0;
}
