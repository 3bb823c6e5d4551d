// The twin of flaky_loader.cc: whoever loads says that it is over, whatever came of it.
#include <ricercar/ricercar.h>

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

std::optional<int> read_from_store() {
  const bool fails = ricercar::choose(2) == 1;
  return fails ? std::nullopt : std::optional<int>(42);
}

class Loader {
 public:
  std::optional<int> get() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !loading_; });
    if (value_) return value_;
    loading_ = true;
    lock.unlock();
    const std::optional<int> value = read_from_store();
    lock.lock();
    value_ = value;
    loading_ = false;
    changed_.notify_all();
    return value_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool loading_ = false;
  std::optional<int> value_;
};

int main() {
  Loader loader;
  std::thread other([&] { loader.get(); });
  loader.get();
  other.join();
}
