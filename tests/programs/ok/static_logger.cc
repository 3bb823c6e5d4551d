// A logger whose thread is started by a static object before main and joined by its destructor
// after main has returned. Two threads and main log lines; the logger writes them in the order of
// their arrival and stops only when its queue is empty.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace {

class Logger {
 public:
  Logger() : thread_([this] { run(); }) {}

  ~Logger() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_one();
    thread_.join();
    assert(written_ == 3);
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
      changed_.wait(lock, [this] { return stopping_ || !lines_.empty(); });
      if (lines_.empty()) return;
      lines_.pop_front();
      ++written_;
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> lines_;
  bool stopping_ = false;
  int written_ = 0;
  std::thread thread_;  // last: it uses all the others
};

Logger logger;

}  // namespace

int main() {
  std::thread other([] { logger.log(1); });
  std::thread another([] { logger.log(2); });
  logger.log(3);
  other.join();
  another.join();
}
