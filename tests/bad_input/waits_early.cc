// A static constructor that creates a thread and waits for it, before main.
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

class Worker {
 public:
  Worker()
      : thread_([this] {
          const std::lock_guard lock(mutex_);
          started_ = true;
          changed_.notify_one();
        }) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return started_; });
  }
  ~Worker() { thread_.join(); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool started_ = false;
  std::thread thread_;
};

Worker worker;

}  // namespace

int main() {}
