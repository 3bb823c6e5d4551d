// Log swap, fixed: the pointer is replaced in one step, and the user reads it once. The bug twin is
// bug/crash/log_swap.cc.
#include <atomic>
#include <cassert>
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
  Log* const log = current.load();
  if (!log->enabled) return;
  std::lock_guard guard(log->mutex);
  ++log->entries;
}

void swap() { current = &new_log; }

}  // namespace

int main() {
  std::thread user(append);
  std::thread swapper(swap);
  user.join();
  swapper.join();
  assert(old_log.entries + new_log.entries == 1);
  return 0;
}
