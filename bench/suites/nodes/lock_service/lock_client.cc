// Counts up the number in the storage, some times, each time under the lock. A thread renews the
// lease while the work is done, which takes a moment.
//
//   lock_client --name=c1 --rounds=2
#include <cassert>
#include <chrono>
#include <condition_variable>

#include "../common/bug.h"
#include "../common/calls.h"
#include "ports.h"

namespace {

using std::chrono::milliseconds;

constexpr int most_attempts = 10;

// A lease, renewed by a thread until it is given back.
class Lease {
 public:
  Lease(std::string client, std::uint64_t token, milliseconds length)
      : client_(std::move(client)), token_(token), length_(length), renewer_([this] { renew(); }) {}
  ~Lease() {
    {
      const std::lock_guard guard(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    renewer_.join();
    suite::Caller("locks", locks::lock_port)
        .ask("release " + client_ + " " + std::to_string(token()));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  std::uint64_t token() {
    const std::lock_guard guard(mutex_);
    return token_;
  }

 private:
  void renew() {
    suite::Caller server("locks", locks::lock_port);
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, length_ / 2, [this] { return is_over_; })) {
      const std::string question = "renew " + client_ + " " + std::to_string(token_);
      lock.unlock();
      const std::optional<std::string> answer = server.ask(question);
      lock.lock();
      const std::vector<std::string> words = suite::words_of(answer.value_or(""));
      if (words.size() == 3 && words[0] == "token") token_ = std::stoull(words[1]);
    }
  }

  const std::string client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t token_;
  const milliseconds length_;
  bool is_over_ = false;
  std::thread renewer_;
};

// False: the lease was lost on the way, or nobody answers.
bool count_up(const std::string& name, Lease& lease) {
  suite::Caller storage("storage", locks::storage_port);
  const auto read = storage.ask("read " + std::to_string(lease.token()));
  if (!read || !read->starts_with("is ")) return false;
  const std::uint64_t number = std::stoull(read->substr(3));
  std::this_thread::sleep_for(milliseconds(100));
  const std::string write =
      "write " + std::to_string(lease.token()) + " " + std::to_string(number + 1) + " " + name;
  std::optional<std::string> written = storage.ask(write);
  if (!written) written = storage.ask(write);  // the storage knows a question that it has answered
  return written == "ok";
}

bool one_round(const std::string& name) {
  suite::Caller server("locks", locks::lock_port);
  for (int i = 0; i < most_attempts; ++i) {
    const auto answer = server.ask("acquire " + name);
    const std::vector<std::string> words = suite::words_of(answer.value_or(""));
    if (words.size() == 3 && words[0] == "token") {
      Lease lease(name, std::stoull(words[1]), milliseconds(std::stoull(words[2])));
      if (count_up(name, lease)) return true;
    }
    std::this_thread::sleep_for(milliseconds(200));
  }
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string name(suite::option(count, arguments, "name", "c"));
  const int rounds = std::stoi(std::string(suite::option(count, arguments, "rounds", "2")));
  for (int i = 0; i < rounds; ++i) {
    if (!one_round(name)) return 0;
  }
}
