// A cache that computes each value once. Does it?
#include <cassert>
#include <map>
#include <mutex>
#include <thread>

class Squares {
 public:
  int get(int n) {
    {
      std::lock_guard lock(mutex_);
      if (const auto known = values_.find(n); known != values_.end()) return known->second;
    }
    std::lock_guard lock(mutex_);
    ++computed;
    return values_[n] = n * n;
  }
  int computed = 0;

 private:
  std::mutex mutex_;
  std::map<int, int> values_;
};

int main() {
  Squares squares;
  std::thread other([&] { squares.get(7); });
  squares.get(7);
  other.join();
  assert(squares.computed == 1);
}
