// A logger whose flush() also waits until what the thread has taken is written. The bug twin is
// bug/assertion/async_logger.cc.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

class Sink {
 public:
  void append(const std::string& line) {
    std::lock_guard lock(mutex_);
    lines_.push_back(line);
  }
  std::size_t size() {
    std::lock_guard lock(mutex_);
    return lines_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class AsyncLogger {
 public:
  explicit AsyncLogger(Sink& sink) : sink_(sink), thread_([this] { run(); }) {}
  ~AsyncLogger() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  void log(std::string line) {
    std::lock_guard lock(mutex_);
    queue_.push_back(std::move(line));
    changed_.notify_all();
  }

  void flush() {
    std::unique_lock lock(mutex_);
    while (!queue_.empty() || writing_) changed_.wait(lock);
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (queue_.empty() && !stopping_) changed_.wait(lock);
      if (queue_.empty()) return;
      std::vector<std::string> batch;
      batch.swap(queue_);
      writing_ = true;
      lock.unlock();
      for (const std::string& line : batch) sink_.append(line);
      lock.lock();
      writing_ = false;
      changed_.notify_all();
    }
  }

  Sink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> queue_;
  bool stopping_ = false;
  bool writing_ = false;
  std::thread thread_;
};

}  // namespace

int main() {
  Sink sink;
  AsyncLogger logger(sink);
  logger.log("started");
  logger.flush();
  assert(sink.size() == 1);
  return 0;
}
