// A bounded queue between threads, with a way to say that nothing more will come. It passes every
// test that anybody runs on it: natively it hangs about once in a million runs.
//
//   ricercar c++ bounded_queue.cc -o bounded_queue
//   ricercar run ./bounded_queue
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

class BoundedQueue {
 public:
  void push(int item) {
    std::unique_lock lock(mutex_);
    not_full_.wait(lock, [this] { return size_ < capacity; });
    items_[(first_ + size_++) % capacity] = item;
    not_empty_.notify_one();
  }

  // Nothing if the queue is empty and will stay so.
  std::optional<int> pop() {
    std::unique_lock lock(mutex_);
    not_empty_.wait(lock, [this] { return size_ > 0 || closed_; });
    if (size_ == 0) return std::nullopt;
    const int item = items_[first_++ % capacity];
    --size_;
    not_full_.notify_one();
    return item;
  }

  // The flag is atomic, so there is no need to lock. Or is there?
  void close() {
    closed_ = true;
    not_empty_.notify_all();
  }

 private:
  static constexpr unsigned capacity = 2;

  std::mutex mutex_;
  std::condition_variable not_empty_;
  std::condition_variable not_full_;
  int items_[capacity] = {};
  unsigned first_ = 0;
  unsigned size_ = 0;
  std::atomic<bool> closed_ = false;
};

void consume(BoundedQueue& queue, int& sum) {
  while (const std::optional<int> item = queue.pop()) sum += *item;
}

void hand_over_two_items() {
  BoundedQueue queue;
  int sum = 0;
  std::thread consumer(consume, std::ref(queue), std::ref(sum));
  queue.push(1);
  queue.push(2);
  std::this_thread::yield();  // let the consumer catch up
  queue.close();
  consumer.join();
  assert(sum == 3);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int i = 0; i < times; ++i) hand_over_two_items();
}
