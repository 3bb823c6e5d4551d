// Upgrade: two readers of a hand-made reader-writer lock both want to become the writer, and each
// waits for the other to stop reading.
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
  void upgrade() {
    std::unique_lock lock(mutex_);
    while (readers_ > 1) changed_.wait(lock);  // <- bug: waits
    readers_ = 0;
    writing_ = true;
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
};

UpgradeLock shared_lock;
int value = 0;

void read_and_write() {
  shared_lock.lock_shared();
  const int seen = value;
  shared_lock.upgrade();
  value = seen + 1;
  shared_lock.unlock();
}

}  // namespace

int main() {
  std::thread one(read_and_write);
  std::thread two(read_and_write);
  one.join();  // <- bug: waits
  two.join();  // <- bug: waits
  return 0;
}
