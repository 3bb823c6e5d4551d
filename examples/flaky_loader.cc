// A value is loaded once, by whoever asks first; the others wait. The store behind it may fail, and
// ricercar::choose tries both: it works at the first attempt, it does not.
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
    if (!value) return std::nullopt;  // and who tells the others?
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
