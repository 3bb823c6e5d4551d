// A logger with a thread that writes. The thread takes the whole queue and writes it without the
// lock; flush() waits until the queue is empty, which it is while the lines are still to be
// written.
// reasons: gcc
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
    return lines_.size();  // <- why: reads
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
    while (!queue_.empty()) changed_.wait(lock);  // <- why: reads
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      while (queue_.empty() && !stopping_) changed_.wait(lock);
      if (queue_.empty()) return;
      std::vector<std::string> batch;
      batch.swap(queue_);  // <- why: writes
      changed_.notify_all();
      lock.unlock();
      for (const std::string& line : batch) sink_.append(line);
      lock.lock();
    }
  }

  Sink& sink_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace

int main() {
  Sink sink;
  AsyncLogger logger(sink);
  logger.log("started");
  logger.flush();
  assert(sink.size() == 1);  // <- bug: fails
  return 0;
}
