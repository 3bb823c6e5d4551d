// A thread works on an object that is gone already.
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

namespace {

class Session {
 public:
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  ~Session() { thread_.detach(); }

 private:
  void run() {
    const std::lock_guard guard(mutex_);
    data_["key"] = 1;
  }

  std::mutex mutex_;
  std::unordered_map<std::string, int> data_;
  std::thread thread_;
};

}  // namespace

int main() {
  auto session = std::make_unique<Session>();
  session->start();
  session.reset();
}
