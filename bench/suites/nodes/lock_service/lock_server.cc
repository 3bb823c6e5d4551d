// Gives each lock to one client at a time, for a while: a lease. Each lease has a token, larger
// than all before it, which is on disk before anybody gets it. Who has to wait does so in a queue,
// and gets the lock when it is given back or its lease is over, unless its patience ends before.
//
// Questions: "acquire LOCK CLIENT PATIENCE" (milliseconds) is answered by "token T MILLISECONDS" or
// "busy"; "renew LOCK CLIENT T" by the same or "lost"; "release LOCK CLIENT T" by "ok"; "list" by
// "locks LOCK:HOLDER:TOKEN:LEFT:WAITING ...".
#include <chrono>
#include <condition_variable>
#include <deque>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/notes.h"
#include "journal.h"
#include "ports.h"

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds lease(1000);

struct Lock {
  struct Waiter {
    std::string client;
    std::uint64_t ticket = 0;
  };

  std::string holder;  // empty: nobody
  Clock::time_point end = {};
  std::uint64_t token = 0;
  std::deque<Waiter> queue;

  bool is_held() const { return !holder.empty() && Clock::now() < end; }

  bool has_waiter(std::uint64_t ticket) const {
    for (const Waiter& each : queue) {
      if (each.ticket == ticket) return true;
    }
    return false;
  }

  bool is_turn_of(std::uint64_t ticket) const {
    if (queue.empty() || queue.front().ticket != ticket) return false;
    return !is_held() || holder == queue.front().client;
  }
};

class LockServer {
 public:
  // Who had a lock before a crash may still believe so: its token is older than all that come now.
  LockServer() : journal_("tokens") {
    for (const auto& [name, kept] : journal_.values()) {
      Lock& lock = locks_[name];
      lock.token = std::stoull(kept);
      token_ = std::max(token_, lock.token);
    }
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    std::unique_lock guard(mutex_);
    if (words.size() == 1 && words[0] == "list") return list();
    if (words.size() != 4 || !suite::is_number(words[3])) return "what?";
    const std::uint64_t number = std::stoull(words[3]);
    if (words[0] == "acquire") return acquire(guard, words[1], words[2], milliseconds(number));
    if (words[0] == "renew") return renew(locks_[words[1]], words[2], number);
    if (words[0] == "release") return release(locks_[words[1]], words[2], number);
    return "what?";
  }

 private:
  std::string list() const {
    std::ostringstream text;
    text << "locks";
    for (const auto& [name, lock] : locks_) {
      const auto left = std::chrono::ceil<milliseconds>(lock.end - Clock::now()).count();
      text << ' ' << name << ':' << (lock.is_held() ? lock.holder : "-") << ':' << lock.token << ':'
           << (lock.is_held() ? left : 0) << ':' << lock.queue.size();
    }
    return text.str();
  }

  std::string acquire(std::unique_lock<std::mutex>& guard, const std::string& name,
                      const std::string& client, milliseconds patience) {
    Lock& lock = locks_[name];
    const std::uint64_t ticket = enter_queue(lock, client);
    const Clock::time_point limit = Clock::now() + patience;
    while (!lock.is_turn_of(ticket)) {
      if (!lock.has_waiter(ticket)) return "busy";
      if (Clock::now() >= limit) {
        leave_queue(lock, client);
        return "busy";
      }
      changed_.wait_until(guard, lock.is_held() ? std::min(lock.end, limit) : limit);
    }
    lock.queue.pop_front();
    return grant(name, lock, client);
  }

  // A client that asks again has given up its earlier question. Who has the lock need not wait.
  std::uint64_t enter_queue(Lock& lock, const std::string& client) {
    leave_queue(lock, client);
    const Lock::Waiter waiter{client, ++tickets_};
    if (client == lock.holder) {
      lock.queue.push_front(waiter);
    } else {
      lock.queue.push_back(waiter);
    }
    return waiter.ticket;
  }

  void leave_queue(Lock& lock, const std::string& client) {
    std::erase_if(lock.queue, [&](const Lock::Waiter& each) { return each.client == client; });
    changed_.notify_all();
  }

  std::string grant(const std::string& name, Lock& lock, const std::string& client) {
    lock.holder = client;
    lock.end = Clock::now() + lease;
    lock.token = ++token_;
    if (!suite::has_bug("forgets_token")) {
      journal_.put(name, std::to_string(lock.token) + " " + client);
    }
    suite::note(name + " is given to " + client + " with token " + std::to_string(lock.token));
    changed_.notify_all();
    return answer_with(lock);
  }

  static std::string answer_with(const Lock& lock) {
    return "token " + std::to_string(lock.token) + " " + std::to_string(lease.count());
  }

  // A lease that is over may be somebody else's now.
  std::string renew(Lock& lock, const std::string& client, std::uint64_t token) {
    const bool is_lost = client != lock.holder || token != lock.token;
    if (is_lost && !suite::has_bug("renews_lost")) return "lost";
    lock.end = Clock::now() + lease;
    changed_.notify_all();
    return answer_with(lock);
  }

  // It may come late, after the client has got another lease.
  std::string release(Lock& lock, const std::string& client, std::uint64_t token) {
    if (client == lock.holder && token == lock.token) lock.holder.clear();
    changed_.notify_all();
    return "ok";
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  locks::Journal journal_;
  std::map<std::string, Lock> locks_;
  std::uint64_t token_ = 0;  // the largest of all locks
  std::uint64_t tickets_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static LockServer server;
  suite::serve(locks::lock_port,
               [](const std::string& question) { return server.answer(question); });
}
