// Gives a lock to one client at a time, for a while: a lease. Each lease has a token, larger than
// all before it, which is on disk before anybody gets it.
//
// Questions: "acquire CLIENT" is answered by "token T MILLISECONDS" or "busy"; "renew CLIENT T" by
// "ok" or "lost"; "release CLIENT T" by "ok".
#include <chrono>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/files.h"
#include "ports.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds lease(1000);

class LockServer {
 public:
  LockServer() {
    const std::string kept = suite::content_of("token");
    if (!kept.empty()) token_ = std::stoull(kept);
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    const std::lock_guard guard(mutex_);
    if (words.size() == 2 && words[0] == "acquire") return acquire(words[1]);
    if (words.size() == 3 && words[0] == "renew") return renew(words[1], std::stoull(words[2]));
    if (words.size() == 3 && words[0] == "release") return release(words[1], std::stoull(words[2]));
    return "what?";
  }

 private:
  bool is_held() const { return !holder_.empty() && Clock::now() < end_; }

  std::string acquire(const std::string& client) {
    if (is_held() && holder_ != client) return "busy";
    holder_ = client;
    end_ = Clock::now() + lease;
    ++token_;
    if (!suite::has_bug("forgets_token")) {
      suite::replace_file("token", std::to_string(token_) + "\n");
    }
    return "token " + std::to_string(token_) + " " + std::to_string(lease.count());
  }

  // A lease that is over may be somebody else's now.
  std::string renew(const std::string& client, std::uint64_t token) {
    if (suite::has_bug("renews_lost")) {
      end_ = Clock::now() + lease;
      return "token " + std::to_string(token_) + " " + std::to_string(lease.count());
    }
    if (client != holder_ || token != token_) return "lost";
    end_ = Clock::now() + lease;
    return "token " + std::to_string(token_) + " " + std::to_string(lease.count());
  }

  // It may come late, after the client has got another lease.
  std::string release(const std::string& client, std::uint64_t token) {
    if (client == holder_ && token == token_) holder_.clear();
    return "ok";
  }

  std::mutex mutex_;
  std::string holder_;
  Clock::time_point end_ = {};
  std::uint64_t token_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static LockServer server;
  suite::serve(locks::lock_port,
               [](const std::string& question) { return server.answer(question); });
}
