// Two locks for one variable: each thread locks, but not the same mutex.
#include <cassert>
#include <mutex>
#include <thread>

namespace {

std::mutex readers_mutex;
std::mutex writers_mutex;
int value = 0;

void write_value() {
  std::lock_guard guard(writers_mutex);  // <- why: locks
  value += 2;                            // <- bug: writes // <- why: writes
}

void read_value() {
  std::lock_guard guard(readers_mutex);  // <- why: locks
  assert(value % 2 == 0);                // <- bug: reads // <- why: reads
}

}  // namespace

int main() {
  std::thread writer(write_value);
  std::thread reader(read_value);
  writer.join();
  reader.join();
  return 0;
}
