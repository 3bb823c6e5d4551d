// A rate limiter that takes a permit only if it is still there. The bug twin is
// bug/assertion/rate_limiter.cc.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

class RateLimiter {
 public:
  explicit RateLimiter(int limit) : limit_(limit), permits_(limit) {}

  bool allow() {
    int left = permits_.load();
    while (left > 0) {
      if (permits_.compare_exchange_strong(left, left - 1)) return true;
    }
    return false;
  }

  void start_window() { permits_.store(limit_); }

 private:
  const int limit_;
  std::atomic<int> permits_;
};

class Server {
 public:
  explicit Server(RateLimiter& limiter) : limiter_(limiter) {}

  void handle_request() {
    if (limiter_.allow()) {
      ++served_;
    } else {
      ++rejected_;
    }
  }

  int served() const { return served_; }
  int rejected() const { return rejected_; }

 private:
  RateLimiter& limiter_;
  std::atomic<int> served_ = 0;
  std::atomic<int> rejected_ = 0;
};

}  // namespace

int main() {
  constexpr int limit = 2;
  RateLimiter limiter(limit);
  limiter.start_window();
  Server server(limiter);
  std::vector<std::thread> clients;
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&server] {
      server.handle_request();
      server.handle_request();
    });
  }
  for (std::thread& client : clients) client.join();
  assert(server.served() + server.rejected() == 4);
  assert(server.served() == limit);
  return 0;
}
