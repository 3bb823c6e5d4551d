// A rate limiter with so many permits in each window. allow() looks whether one is left and takes
// it in two steps: two requests can both see the last one, and more are let through than the limit
// says.
#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

namespace {

class RateLimiter {
 public:
  explicit RateLimiter(int limit) : limit_(limit), permits_(limit) {}

  bool allow() {
    if (permits_.load() <= 0) return false;  // <- why: reads
    permits_.fetch_sub(1);                   // <- why: writes
    return true;
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
  assert(server.served() == limit);  // <- bug: fails
  return 0;
}
