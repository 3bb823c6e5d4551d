// A member of a group that finds out who else is there, as SWIM does. It joins by asking a seed for
// all news. Then it asks another member from time to time for a sign of life, by datagrams; if none
// comes, it lets others ask for it. Who does not answer is suspected, and after a while held for
// dead; who hears that it is suspected says that it lives, with a larger incarnation number.
//
//   member --name=m1 --seeds=m1,m2
//
// Datagrams are "KIND ROUND FROM ABOUT NEWS...". The answer to a `ping` is a `pong`; `help` asks
// for a ping of somebody else, whose pong comes back as a `relay`.
//
// By TCP: "members" is answered by "LIFE NEWS...", what is known; "sync NEWS..." by "news NEWS..."
// of all members; "tag TAG", a name that operators give this member, by "ok"; "status" by what it
// has done so far.
#include <sys/time.h>

#include <chrono>
#include <map>

#include "../common/bug.h"
#include "../common/calls.h"
#include "../common/notes.h"
#include "identity.h"
#include "others.h"
#include "ports.h"

namespace {

using group::NamedNews;
using group::State;

constexpr std::chrono::milliseconds round_length(200);
constexpr std::chrono::milliseconds suspicion(1000);
constexpr std::uint64_t rounds_between_syncs = 8;
constexpr std::size_t most_helpers = 2;

class Member {
 public:
  Member(const std::string& name, const std::vector<std::string>& seeds)
      : identity_(name), socket_(suite::bound(SOCK_DGRAM, group::gossip_port)) {
    for (const std::string& seed : seeds) {
      if (seed != name) others_.add(seed);
    }
    is_joined_ = !others_.are_known();
    const timeval limit = {0, 200'000};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  // --- What the threads do ---

  [[noreturn]] void listen() {
    for (;;) {
      char bytes[2048];
      const ssize_t size = ::recv(socket_.number(), bytes, sizeof bytes, 0);
      if (size > 0) take({bytes, static_cast<std::size_t>(size)});
      const std::lock_guard guard(mutex_);
      others_.bury(suspicion);
    }
  }

  [[noreturn]] void ask_others() {
    for (std::uint64_t round = 1;; ++round) {
      if (!is_joined_ || round % rounds_between_syncs == 0) exchange_all_news();
      last_asked_ = member_after(last_asked_);
      if (last_asked_.empty()) {
        std::this_thread::sleep_for(round_length);
      } else {
        probe(last_asked_, round);
      }
    }
  }

  std::string answer(const std::string& question) {
    const std::vector<std::string> words = suite::words_of(question);
    if (words.empty()) return "what?";
    if (words[0] == "members") return members();
    const std::lock_guard guard(mutex_);
    if (words[0] == "sync") return sync(words);
    if (words[0] == "status") return status();
    if (words[0] != "tag" || words.size() != 2 || !group::is_tag(words[1])) return "what?";
    identity_.set_tag(words[1]);
    return "ok";
  }

 private:
  // --- Questions ---

  std::string members() {
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!suite::has_bug("unlocked")) lock.lock();
    return std::to_string(identity_.news().life) + " " + all_news();
  }

  std::string all_news() const { return identity_.text() + others_.all(); }

  std::string sync(const std::vector<std::string>& words) {
    hear(words, 1);
    ++syncs_;
    return "news " + all_news();
  }

  std::string status() const {
    std::ostringstream text;
    text << identity_.text() << " others " << others_.names().size() << " pings " << pings_
         << " helped " << helped_ << " suspicions " << suspicions_ << " refutals " << refutals_
         << " syncs " << syncs_;
    return text.str();
  }

  // --- News ---

  void hear(const std::vector<std::string>& words, std::size_t first) {
    for (std::size_t i = first; i < words.size(); ++i) {
      const std::optional<NamedNews> heard = NamedNews::of(words[i]);
      if (!heard) continue;
      if (heard->name == identity_.name()) {
        hear_of_itself(heard->news);
      } else {
        others_.hear(*heard);
      }
    }
  }

  void hear_of_itself(const group::News& news) {
    const std::uint64_t own = identity_.news().incarnation;
    if (news.state == State::alive && news.incarnation <= own) return;
    if (news.incarnation < own) return;
    identity_.refute(news.incarnation);
    ++refutals_;
    suite::note("refuted: " + identity_.text());
  }

  // Until somebody has answered this member has not joined.
  void exchange_all_news() {
    std::string question = "sync ";
    {
      const std::lock_guard guard(mutex_);
      question += all_news();
    }
    last_synced_ = member_after(last_synced_);
    if (last_synced_.empty()) return;
    const auto answer = suite::Caller(last_synced_, group::question_port).ask(question);
    if (!answer || !answer->starts_with("news ")) return;
    const std::lock_guard guard(mutex_);
    hear(suite::words_of(*answer), 1);
    ++syncs_;
    is_joined_ = true;
  }

  // --- Signs of life ---

  std::string member_after(const std::string& name) {
    const std::lock_guard guard(mutex_);
    return others_.after(name);
  }

  void probe(const std::string& other, std::uint64_t round) {
    {
      const std::lock_guard guard(mutex_);
      waits_for_[other] = round;
      ++pings_;
    }
    send("ping", round, other, "-");
    std::this_thread::sleep_for(round_length);
    if (!waits_for(other, round)) return;
    for (const std::string& helper : helpers_for(other)) send("help", round, helper, other);
    std::this_thread::sleep_for(round_length);
    if (!waits_for(other, round)) return;
    const std::lock_guard guard(mutex_);
    if (others_.suspect(other)) ++suspicions_;
  }

  bool waits_for(const std::string& other, std::uint64_t round) {
    const std::lock_guard guard(mutex_);
    const auto waiting = waits_for_.find(other);
    return waiting != waits_for_.end() && waiting->second == round;
  }

  std::vector<std::string> helpers_for(const std::string& other) {
    const std::lock_guard guard(mutex_);
    std::vector<std::string> helpers = others_.names();
    std::erase(helpers, other);
    if (helpers.size() > most_helpers) helpers.resize(most_helpers);
    return helpers;
  }

  void answered(const std::string& other, std::uint64_t round) {
    const auto waiting = waits_for_.find(other);
    if (waiting != waits_for_.end() && waiting->second == round) waits_for_.erase(waiting);
  }

  // --- Datagrams ---

  void send(const std::string& kind, std::uint64_t round, const std::string& to,
            const std::string& about) {
    const std::optional<sockaddr_in> address = address_of(to);
    if (!address) return;
    std::ostringstream text;
    {
      const std::lock_guard guard(mutex_);
      text << kind << ' ' << round << ' ' << identity_.name() << ' ' << about << ' '
           << identity_.text() << others_.rumours();
    }
    const std::string bytes = text.str();
    ::sendto(socket_.number(), bytes.data(), bytes.size(), 0,
             reinterpret_cast<const sockaddr*>(&*address), sizeof *address);
  }

  std::optional<sockaddr_in> address_of(const std::string& name) {
    {
      const std::lock_guard guard(mutex_);
      const auto known = addresses_.find(name);
      if (known != addresses_.end()) return known->second;
    }
    const std::optional<sockaddr_in> address = suite::found_address(name, group::gossip_port);
    const std::lock_guard guard(mutex_);
    if (address) addresses_[name] = *address;
    return address;
  }

  void take(const std::string& text) {
    const std::vector<std::string> words = suite::words_of(text);
    if (words.size() < 4 || !suite::is_number(words[1])) return;
    const std::string& kind = words[0];
    const std::uint64_t round = std::stoull(words[1]);
    const std::string& from = words[2];
    const std::string& about = words[3];
    {
      const std::lock_guard guard(mutex_);
      hear(words, 4);
      if (kind == "pong" && about == "-") answered(from, round);
      if (kind == "relay") answered(about, round);
      if (kind == "help") ++helped_;
    }
    if (kind == "ping") send("pong", round, from, about);
    if (kind == "help") send("ping", round, about, from);
    if (kind == "pong" && about != "-") send("relay", round, about, from);
  }

  std::mutex mutex_;  // for all that is below, unless it is of one thread
  group::Identity identity_;
  group::Others others_;
  const suite::Socket socket_;
  std::map<std::string, sockaddr_in> addresses_;
  std::map<std::string, std::uint64_t> waits_for_;  // the round in which each was asked
  std::uint64_t pings_ = 0;
  std::uint64_t helped_ = 0;
  std::uint64_t suspicions_ = 0;
  std::uint64_t refutals_ = 0;
  std::uint64_t syncs_ = 0;
  // Of the thread that asks others.
  std::string last_asked_;
  std::string last_synced_;
  bool is_joined_ = false;
};

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  static Member member(
      std::string(suite::option(count, arguments, "name", "")),
      suite::split(std::string(suite::option(count, arguments, "seeds", "")), ','));
  std::thread([] { member.listen(); }).detach();
  std::thread([] { member.ask_others(); }).detach();
  suite::serve(group::question_port,
               [](const std::string& question) { return member.answer(question); });
}
