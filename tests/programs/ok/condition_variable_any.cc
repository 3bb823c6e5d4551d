// std::condition_variable_any with a shared_lock: two readers wait for a value under a shared
// mutex, and a writer wakes both.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
std::condition_variable_any changed;
int value = 0;

void read_value() {
  std::shared_lock lock(mutex);
  changed.wait(lock, [] { return value != 0; });
  assert(value == 42);
}

void write_value() {
  {
    std::lock_guard guard(mutex);
    value = 42;
  }
  changed.notify_all();
}

}  // namespace

int main() {
  std::thread reader(read_value);
  std::thread writer(write_value);
  read_value();
  reader.join();
  writer.join();
  return 0;
}
