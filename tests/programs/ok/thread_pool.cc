// A thread pool: two workers take tasks from a queue and answer through futures; the destructor
// lets the queue run dry and joins.
#include <cassert>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

class ThreadPool {
 public:
  explicit ThreadPool(int workers) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }
  ~ThreadPool() {
    {
      std::lock_guard guard(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
    for (std::thread& worker : workers_) worker.join();
  }
  std::future<int> submit(std::function<int()> function) {
    std::packaged_task<int()> task(std::move(function));
    std::future<int> result = task.get_future();
    {
      std::lock_guard guard(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.notify_one();
    return result;
  }

 private:
  void work() {
    while (true) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::packaged_task<int()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<int()>> tasks_;
  bool closed_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace

int main() {
  ThreadPool pool(2);
  std::future<int> six = pool.submit([] { return 2 * 3; });
  std::future<int> seven = pool.submit([] { return 3 + 4; });
  assert(six.get() * seven.get() == 42);
  return 0;
}
