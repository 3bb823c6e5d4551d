// Null callback, fixed: the pointer is read once. The bug twin is bug/crash/null_callback.cc.
#include <atomic>
#include <cassert>
#include <thread>

namespace {

std::atomic<int> events = 0;

void count_event() { ++events; }

std::atomic<void (*)()> callback = count_event;

void fire() {
  void (*const seen)() = callback;
  if (seen != nullptr) seen();
}

void unregister() { callback = nullptr; }

}  // namespace

int main() {
  std::thread firer(fire);
  std::thread unregisterer(unregister);
  firer.join();
  unregisterer.join();
  assert(events == 0 || events == 1);
  return 0;
}
