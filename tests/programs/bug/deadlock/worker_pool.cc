// A pool of workers that drains its queue when it is closed. close() notifies one worker only: if
// both wait, the one that wakes ends without passing that on, the other one sleeps on, and the join
// never ends.
#include <cassert>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <utility>
#include <vector>

namespace {

class WorkerPool {
 public:
  explicit WorkerPool(std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) workers_.emplace_back([this] { run(); });
  }
  ~WorkerPool() { close(); }

  void post(std::function<void()> job) {
    std::lock_guard lock(mutex_);
    jobs_.push(std::move(job));
    wake_.notify_one();
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      if (closed_) return;
      closed_ = true;
    }
    wake_.notify_one();                                  // <- why: signals
    for (std::thread& worker : workers_) worker.join();  // <- bug: waits
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> job;
      {
        std::unique_lock lock(mutex_);
        while (jobs_.empty() && !closed_) {
          wake_.wait(lock);  // <- bug: waits // <- why: waits
        }
        if (jobs_.empty()) return;
        job = std::move(jobs_.front());
        jobs_.pop();
      }
      job();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> jobs_;
  bool closed_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

int main() {
  int sum = 0;
  {
    WorkerPool pool(2);
    pool.post([&sum] { sum += 1; });
  }
  assert(sum == 1);
  return 0;
}
