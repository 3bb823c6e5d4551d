// Sleep as synchronisation: the reader sleeps ten seconds, which is always enough, except when the
// writer does not run in that time.
#include <atomic>
#include <cassert>
#include <chrono>
#include <thread>

namespace {

std::atomic<int> value = 0;

void write_value() { value = 42; }

void sleep_and_read() {
  std::this_thread::sleep_for(std::chrono::seconds(10));
  assert(value == 42);  // <- bug: fails // <- why: reads
}

}  // namespace

int main() {
  std::thread writer(write_value);
  std::thread reader(sleep_and_read);
  writer.join();
  reader.join();
  return 0;
}
