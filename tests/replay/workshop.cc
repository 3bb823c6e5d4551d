// Mutexes, condition variables, atomics, timed waits, thread-local storage and the heap in one
// program. Workers take orders from a queue and keep what they made in a map. The bug: a worker
// adds to a number that it has read before it had the lock, so that a piece is not counted.
#include <atomic>
#include <cassert>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

namespace {

class Workshop {
 public:
  void order(int number) {
    auto text = std::make_unique<std::string>("order " + std::to_string(number));
    std::lock_guard guard(mutex_);
    orders_.push(std::move(text));
    arrived_.notify_one();
  }

  void close() {
    std::lock_guard guard(mutex_);
    closed_ = true;
    arrived_.notify_all();
  }

  void work() {
    thread_local std::vector<std::string> made;
    while (auto text = take()) {
      made.push_back(*text);
      const int seen = made_count_;
      std::lock_guard guard(shelf_mutex_);
      ++shelf_[*text];
      made_count_ = seen + 1;
    }
  }

  int made_count() const { return made_count_; }
  std::size_t kinds() {
    std::lock_guard guard(shelf_mutex_);
    return shelf_.size();
  }

 private:
  std::unique_ptr<std::string> take() {
    std::unique_lock lock(mutex_);
    while (orders_.empty() && !closed_) arrived_.wait_for(lock, std::chrono::seconds(1));
    if (orders_.empty()) return nullptr;
    auto first = std::move(orders_.front());
    orders_.pop();
    return first;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::queue<std::unique_ptr<std::string>> orders_;
  bool closed_ = false;
  std::mutex shelf_mutex_;
  std::map<std::string, int> shelf_;
  std::atomic<int> made_count_ = 0;
};

}  // namespace

int main() {
  constexpr int orders = 4;
  Workshop workshop;
  std::thread one(&Workshop::work, &workshop);
  std::thread two(&Workshop::work, &workshop);
  for (int i = 0; i < orders; ++i) workshop.order(i);
  workshop.close();
  one.join();
  two.join();
  assert(workshop.kinds() == orders);
  assert(workshop.made_count() == orders);
  return 0;
}
