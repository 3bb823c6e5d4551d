// Null callback: an event is fired through a function pointer that another thread clears between
// the test and the call.
#include <atomic>
#include <thread>

namespace {

std::atomic<int> events = 0;

void count_event() { ++events; }

std::atomic<void (*)()> callback = count_event;

void fire() {
  if (callback.load() != nullptr) callback.load()();  // <- bug: fails // <- why: reads
}

void unregister() { callback = nullptr; }  // <- why: writes

}  // namespace

int main() {
  std::thread firer(fire);
  std::thread unregisterer(unregister);
  firer.join();
  unregisterer.join();
  return 0;
}
