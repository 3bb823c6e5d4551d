// A logger whose thread is started by a static object before main and joined by its destructor
// after main has returned. The destructor raises the flag without the mutex: if the thread has
// just found it down and not begun to wait yet, the notification is lost, and the join waits for
// ever.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class Logger {
 public:
  Logger() : thread_([this] { run(); }) {}

  ~Logger() {
    stopping_ = true;       // <- why: writes
    changed_.notify_one();  // <- why: signals
    thread_.join();         // <- bug: waits
  }

  void log(int line) {
    {
      const std::lock_guard lock(mutex_);
      lines_.push_back(line);
    }
    changed_.notify_one();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return stopping_ || !lines_.empty(); });  // <- bug: waits
      if (lines_.empty()) return;
      lines_.pop_front();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> lines_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;  // last: it uses all the others
};

Logger logger;

}  // namespace

int main() { logger.log(1); }
