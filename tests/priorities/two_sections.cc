// A stack whose pop checks and acts in two critical sections, in a program that does much else.
#include <cassert>
#include <mutex>
#include <thread>

namespace work {

template <typename T>
class Stack {
 public:
  void push(T value) {
    std::lock_guard lock(mutex_);
    items_[size_++] = value;
  }
  bool is_empty() {
    std::lock_guard lock(mutex_);
    return size_ == 0;
  }
  T pop() {
    if (is_empty()) return 0;
    std::lock_guard lock(mutex_);
    assert(size_ > 0);
    return items_[--size_];
  }

 private:
  std::mutex mutex_;
  T items_[4] = {};
  int size_ = 0;
};

class Log {
 public:
  void write() {
    for (int i = 0; i < 20; ++i) {
      std::lock_guard lock(mutex_);
      ++lines_;
    }
  }

 private:
  std::mutex mutex_;
  int lines_ = 0;
};

Stack<int> stack;
Log log;

}  // namespace work

int main() {
  work::stack.push(1);
  const auto body = [] {
    work::log.write();
    work::stack.pop();
    work::log.write();
  };
  std::thread first(body);
  std::thread second(body);
  first.join();
  second.join();
}
