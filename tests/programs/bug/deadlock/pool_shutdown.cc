// Pool shutdown: the worker tests the stop flag outside the lock and then waits; if the destructor
// stops and notifies in between, the notification is lost and the join never ends.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace {

class Pool {
 public:
  Pool() : worker_([this] { work(); }) {}
  ~Pool() {
    stop_ = true;           // <- why: writes
    changed_.notify_all();  // <- why: signals
    worker_.join();         // <- bug: waits
  }
  void submit(std::function<void()> task) {
    std::lock_guard guard(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }

 private:
  void work() {
    while (!stop_) {  // <- why: reads
      std::unique_lock lock(mutex_);
      if (tasks_.empty()) changed_.wait(lock);  // <- bug: waits // <- why: waits
      if (tasks_.empty()) continue;
      const std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::atomic<bool> stop_ = false;
  std::thread worker_;
};

}  // namespace

int main() {
  Pool pool;
  pool.submit([] {});
  return 0;
}
