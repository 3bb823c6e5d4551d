// Publish before initialisation: the writer raises the flag before it stores the payload, and a
// reader that sees the flag in between finds nothing.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<bool> ready = false;
std::atomic<int> payload = 0;

void publish() {
  ready = true;  // <- why: writes
  payload = 42;
}

void receive() {
  if (ready) assert(payload == 42);  // <- bug: fails // <- why: reads
}

}  // namespace

int main() {
  std::thread writer(publish);
  std::thread reader(receive);
  writer.join();
  reader.join();
  return 0;
}
