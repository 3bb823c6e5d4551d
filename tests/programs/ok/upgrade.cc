// Upgrade, fixed: only one reader at a time may want to upgrade; a second one gives its read lock
// back and starts again as a writer. The bug twin is bug/deadlock/upgrade.cc.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

class UpgradeLock {
 public:
  void lock_shared() {
    std::unique_lock lock(mutex_);
    while (writing_) changed_.wait(lock);
    ++readers_;
  }
  void lock() {
    std::unique_lock lock(mutex_);
    while (writing_ || readers_ > 0) changed_.wait(lock);
    writing_ = true;
  }
  // On false the caller has lost its read lock.
  bool try_upgrade() {
    std::unique_lock lock(mutex_);
    if (upgrading_) {
      --readers_;
      changed_.notify_all();
      return false;
    }
    upgrading_ = true;
    while (readers_ > 1) changed_.wait(lock);
    upgrading_ = false;
    readers_ = 0;
    writing_ = true;
    return true;
  }
  void unlock() {
    std::lock_guard guard(mutex_);
    writing_ = false;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int readers_ = 0;
  bool writing_ = false;
  bool upgrading_ = false;
};

UpgradeLock shared_lock;
int value = 0;

void read_and_write() {
  shared_lock.lock_shared();
  const int seen = value;
  if (shared_lock.try_upgrade()) {
    assert(value == seen);
  } else {
    shared_lock.lock();
  }
  ++value;
  shared_lock.unlock();
}

}  // namespace

int main() {
  std::thread one(read_and_write);
  std::thread two(read_and_write);
  one.join();
  two.join();
  assert(value == 2);
  return 0;
}
