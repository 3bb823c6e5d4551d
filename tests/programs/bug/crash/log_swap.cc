// Log swap: a user tests the log pointer and then reads it again, while another thread replaces the
// log and for a moment leaves a null pointer. A swap between the test and the use dereferences
// null.
#include <atomic>
#include <mutex>
#include <thread>

namespace {

struct Log {
  const bool enabled = true;
  std::mutex mutex;
  int entries = 0;
};

Log old_log;
Log new_log;
std::atomic<Log*> current = &old_log;

void append() {
  if (current.load() == nullptr) return;  // <- why: reads
  Log* const log = current.load();        // <- why: reads
  if (!log->enabled) return;              // <- bug: fails
  std::lock_guard guard(log->mutex);
  ++log->entries;
}

void swap() {
  current = nullptr;  // <- why: writes
  current = &new_log;
}

}  // namespace

int main() {
  std::thread user(append);
  std::thread swapper(swap);
  user.join();
  swapper.join();
  return 0;
}
