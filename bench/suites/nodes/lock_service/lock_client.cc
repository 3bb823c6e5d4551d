// Counts up numbers in the storage, some times, each time under the lock of the number. A thread
// renews the lease while the work is done, which takes a moment.
//
//   lock_client --name=c1 --keys=a,b --rounds=2
#include <chrono>
#include <condition_variable>

#include "../common/backoff.h"
#include "../common/bug.h"
#include "../common/calls.h"
#include "ports.h"

namespace {

using std::chrono::milliseconds;

constexpr int most_attempts = 10;
constexpr milliseconds first_pause(200);
constexpr milliseconds longest_pause(800);
constexpr milliseconds patience(500);  // in the queue of a lock

struct Grant {
  std::uint64_t token = 0;
  milliseconds length{0};

  // Nothing: the lock is not given.
  static std::optional<Grant> of(const std::optional<std::string>& answer) {
    const std::vector<std::string> words = suite::words_of(answer.value_or(""));
    if (words.size() != 3 || words[0] != "token") return std::nullopt;
    return Grant{std::stoull(words[1]), milliseconds(std::stoull(words[2]))};
  }
};

// A lease, renewed by a thread until it is given back.
class Lease {
 public:
  Lease(const std::string& lock, const std::string& client, const Grant& grant)
      : name_(lock + " " + client),
        token_(grant.token),
        length_(grant.length),
        renewer_([this] { renew(); }) {}
  ~Lease() {
    {
      const std::lock_guard guard(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    renewer_.join();
    server_.ask("release " + name_ + " " + std::to_string(token_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::string token() {
    const std::lock_guard guard(mutex_);
    return std::to_string(token_);
  }

 private:
  void renew() {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, length_ / 2, [this] { return is_over_; })) {
      const std::string question = "renew " + name_ + " " + std::to_string(token_);
      lock.unlock();
      const std::optional<Grant> renewed = Grant::of(server_.ask(question));
      lock.lock();
      if (renewed) token_ = renewed->token;
    }
  }

  const std::string name_;  // of the lock and the client
  suite::Caller server_ =
      suite::Caller("locks", locks::lock_port);  // of the thread, then of the end
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t token_;
  const milliseconds length_;
  bool is_over_ = false;
  std::thread renewer_;
};

class Client {
 public:
  explicit Client(std::string name) : name_(std::move(name)) {}

  // False: it was tried in vain.
  bool work_on(const std::string& key) {
    suite::Backoff backoff(first_pause, longest_pause);
    for (int i = 0; i < most_attempts; ++i) {
      const std::string question =
          "acquire " + key + " " + name_ + " " + std::to_string(patience.count());
      if (const std::optional<Grant> grant = Grant::of(server_.ask(question))) {
        Lease lease(key, name_, *grant);
        if (count_up(key, lease)) return true;
      }
      std::this_thread::sleep_for(backoff.next());
    }
    return false;
  }

 private:
  // False: the lease was lost on the way, or nobody answers.
  bool count_up(const std::string& key, Lease& lease) {
    const auto read = storage_.ask("read " + key + " " + lease.token());
    if (!read || !read->starts_with("is ")) return false;
    const std::uint64_t number = std::stoull(read->substr(3));
    std::this_thread::sleep_for(milliseconds(100));
    const std::string write =
        "write " + key + " " + lease.token() + " " + std::to_string(number + 1) + " " + name_;
    std::optional<std::string> written = storage_.ask(write);
    if (!written) written = storage_.ask(write);  // the storage knows what it has answered
    return written == "ok";
  }

  const std::string name_;
  suite::Caller server_ = suite::Caller("locks", locks::lock_port);
  suite::Caller storage_ = suite::Caller("storage", locks::storage_port);
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const int rounds = std::stoi(std::string(suite::option(count, arguments, "rounds", "2")));
  const auto keys = suite::split(std::string(suite::option(count, arguments, "keys", "a")), ',');
  Client client(std::string(suite::option(count, arguments, "name", "c")));
  for (int i = 0; i < rounds; ++i) {
    if (!client.work_on(keys[static_cast<std::size_t>(i) % keys.size()])) return 0;
  }
}
