// A member of a group that finds out who else is there, by datagrams: each member asks another one
// from time to time for a sign of life, and passes on the news that it has. Who does not answer is
// suspected, and after a while held for dead; who hears that it is suspected says that it lives,
// with a larger incarnation number. The number is on disk before others hear of it, so that it
// grows when a member starts again.
//
//   member --name=m1 --others=m2,m3,m4
//
// News are ordered: of two about one member the one with the larger incarnation counts, and with
// the same incarnation `dead` before `suspect` before `alive`. A client asks "members" by TCP and
// gets what is known: "LIFE m1:STATE:INCARNATION ...".
#include <sys/time.h>

#include <cassert>
#include <chrono>
#include <map>
#include <random>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/files.h"
#include "ports.h"

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds round_length(200);
constexpr std::chrono::milliseconds suspicion(1000);

enum class State { alive, suspect, dead };

const char* name_of(State state) {
  return state == State::alive ? "alive" : state == State::suspect ? "suspect" : "dead";
}

State state_named(const std::string& name) {
  return name == "dead" ? State::dead : name == "suspect" ? State::suspect : State::alive;
}

struct News {
  State state = State::alive;
  std::uint64_t incarnation = 0;
  std::uint64_t life = 0;  // of the process that had this incarnation first; 0: not known

  bool is_newer_than(const News& other) const {
    if (suite::has_bug("old_news")) return state != other.state;
    if (incarnation != other.incarnation) return incarnation > other.incarnation;
    if (suite::has_bug("resurrects") && state == State::alive) return other.state != state;
    return state > other.state;
  }
};

class Member {
 public:
  Member(std::string name, const std::vector<std::string>& others)
      : name_(std::move(name)), socket_(suite::bound(SOCK_DGRAM, group::gossip_port)) {
    const std::string kept = suite::content_of("incarnation");
    own_.incarnation = kept.empty() ? 0 : std::stoull(kept) + 1;
    own_.life = std::random_device()() + 1ULL;
    keep_incarnation();
    for (const std::string& other : others) {
      members_[other] = {};
      addresses_[other] = suite::address_of(other, group::gossip_port);
    }
    const timeval limit = {0, 200'000};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  // --- What the threads do ---

  [[noreturn]] void listen() {
    for (;;) {
      char bytes[2048];
      const ssize_t size = ::recv(socket_.number(), bytes, sizeof bytes, 0);
      if (size > 0) take({bytes, static_cast<std::size_t>(size)});
      bury_suspects();
    }
  }

  [[noreturn]] void ask_others() {
    for (std::uint64_t round = 1;; ++round) {
      const std::string other = next_member();
      {
        const std::lock_guard guard(mutex_);
        waits_for_[other] = round;
      }
      send(other, "ping " + std::to_string(round));
      std::this_thread::sleep_for(round_length);
      const std::lock_guard guard(mutex_);
      const auto waiting = waits_for_.find(other);
      if (waiting != waits_for_.end() && waiting->second == round) suspect(other);
    }
  }

  std::string answer(const std::string&) {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!suite::has_bug("unlocked")) lock.lock();
    std::string text = std::to_string(own_.life) + " " + text_of(name_, own_);
    for (const auto& [name, member] : members_) text += " " + text_of(name, member.news);
    return text;
  }

 private:
  struct Other {
    News news;
    Clock::time_point suspected = {};
  };

  static std::string text_of(const std::string& name, const News& news) {
    return name + ":" + name_of(news.state) + ":" + std::to_string(news.incarnation) + ":" +
           std::to_string(news.life);
  }

  void keep_incarnation() {
    if (suite::has_bug("forgets_incarnation")) return;
    suite::replace_file("incarnation", std::to_string(own_.incarnation) + "\n");
  }

  std::string next_member() {
    const std::lock_guard guard(mutex_);
    auto next = members_.upper_bound(last_asked_);
    if (next == members_.end()) next = members_.begin();
    last_asked_ = next->first;
    return last_asked_;
  }

  // --- Messages: "KIND ROUND FROM NEWS..." ---

  void send(const std::string& to, const std::string& what) {
    std::string text;
    {
      const std::lock_guard guard(mutex_);
      text = what + " " + name_ + " " + text_of(name_, own_);
      for (const auto& [name, member] : members_) text += " " + text_of(name, member.news);
    }
    const sockaddr_in& address = addresses_[to];
    ::sendto(socket_.number(), text.data(), text.size(), 0,
             reinterpret_cast<const sockaddr*>(&address), sizeof address);
  }

  void take(const std::string& text) {
    const std::vector<std::string> words = suite::words_of(text);
    if (words.size() < 3) return;
    const std::string& from = words[2];
    if (addresses_.count(from) == 0) return;
    {
      const std::lock_guard guard(mutex_);
      for (std::size_t i = 3; i < words.size(); ++i) hear(words[i]);
      const auto waiting = waits_for_.find(from);
      const bool is_answer = words[0] == "pong" && waiting != waits_for_.end();
      if (is_answer && std::to_string(waiting->second) == words[1]) waits_for_.erase(waiting);
    }
    if (words[0] == "ping") send(from, "pong " + words[1]);
  }

  void hear(const std::string& text) {
    const std::vector<std::string> parts = suite::split(text, ':');
    const News news{state_named(parts[1]), std::stoull(parts[2]), std::stoull(parts[3])};
    if (parts[0] == name_) return hear_of_itself(news);
    Other& member = members_[parts[0]];
    const bool is_same = news.incarnation == member.news.incarnation;
    const bool are_known = news.life != 0 && member.news.life != 0;
    assert((!is_same || !are_known || news.life == member.news.life) &&
           "an incarnation has one life");
    if (is_same && member.news.life == 0) member.news.life = news.life;
    if (!news.is_newer_than(member.news)) return;
    if (news.state == State::suspect) member.suspected = Clock::now();
    member.news = news;
  }

  // The others have to hear of an incarnation that is larger than what they have.
  void hear_of_itself(const News& news) {
    if (news.state == State::alive && news.incarnation <= own_.incarnation) return;
    if (news.incarnation < own_.incarnation) return;
    own_.incarnation = news.incarnation + 1;
    if (!suite::has_bug("forgets_refutal")) keep_incarnation();
  }

  void suspect(const std::string& name) {
    Other& member = members_[name];
    if (member.news.state != State::alive) return;
    member.news.state = State::suspect;
    member.suspected = Clock::now();
  }

  void bury_suspects() {
    const std::lock_guard guard(mutex_);
    for (auto& [name, member] : members_) {
      const bool is_over = Clock::now() - member.suspected >= suspicion;
      if (member.news.state == State::suspect && is_over) member.news.state = State::dead;
    }
  }

  const std::string name_;
  const suite::Socket socket_;
  std::map<std::string, sockaddr_in> addresses_;
  std::mutex mutex_;
  News own_;
  std::map<std::string, Other> members_;
  std::map<std::string, std::uint64_t> waits_for_;  // the round in which each was asked
  std::string last_asked_;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static Member member(
      std::string(suite::option(count, arguments, "name", "")),
      suite::split(std::string(suite::option(count, arguments, "others", "")), ','));
  std::thread([] { member.listen(); }).detach();
  std::thread([] { member.ask_others(); }).detach();
  suite::serve(group::question_port,
               [](const std::string& question) { return member.answer(question); });
}
