// A bounded queue between threads, with a way to say that nothing more will come. It passes every
// test that anybody runs on it: natively it goes wrong about once in a million runs.
//
//   ricercar c++ bounded_queue.cc -o bounded_queue
//   ricercar run ./bounded_queue
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  void push(int item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return items_.size() < capacity_; });
    items_.push_back(item);
    not_empty_.notify_one();
  }

  // Nothing if the queue is empty and will stay so.
  std::optional<int> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return !items_.empty() || closed_; });
    if (items_.empty()) return std::nullopt;
    const int item = items_.front();
    items_.pop_front();
    not_full_.notify_one();
    return item;
  }

  // The flag is atomic, so there is no need to lock. Or is there?
  void close() {
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  const std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  std::deque<int> items_;
  std::atomic<bool> closed_ = false;
};

void hand_over_three_items() {
  BoundedQueue queue(2);
  int sum = 0;
  std::thread consumer([&] {
    while (const std::optional<int> item = queue.pop()) sum += *item;
  });
  for (int item = 1; item <= 3; ++item) queue.push(item);
  queue.close();
  consumer.join();
  assert(sum == 6);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int i = 0; i < times; ++i) hand_over_three_items();
}
