// The rules of Raft: elections, replication, commitment. It knows neither sockets nor clocks: who
// uses it delivers messages, says when a time limit has passed, and sends what is put into
// `outgoing`. Not thread-safe.
#pragma once

#include <cassert>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "storage.h"

namespace raft {

enum class Role { follower, candidate, leader };

struct Outgoing {
  std::string to;
  std::string line;
};

class Consensus {
 public:
  Consensus(std::string self, std::vector<std::string> peers)
      : self_(std::move(self)), peers_(std::move(peers)) {}

  Role role() const { return role_; }
  const std::string& leader() const { return leader_; }
  std::uint64_t term() const { return storage_.term(); }
  std::uint64_t commit() const { return commit_; }
  const Entry& entry(std::uint64_t index) const { return storage_.entry(index); }
  std::vector<Outgoing> take_outgoing() { return std::exchange(outgoing_, {}); }
  // A leader was heard of, or somebody got the vote: the time for an election begins anew.
  bool take_heard() { return std::exchange(heard_, false); }

  void election_time_is_over() {
    if (role_ == Role::leader) return;
    role_ = Role::candidate;
    leader_.clear();
    storage_.set_state(storage_.term() + 1, self_);
    votes_ = {self_};
    for (const std::string& peer : peers_) {
      send(peer, "vote? " + std::to_string(term()) + " " + self_ + " " +
                     std::to_string(storage_.last_index()) + " " +
                     std::to_string(storage_.last_term()));
    }
    count_votes();
  }

  void heartbeat_time_is_over() {
    if (role_ == Role::leader) send_appends();
  }

  // The index of the new entry. Only for a leader.
  std::uint64_t propose(const std::string& command) {
    assert(role_ == Role::leader);
    storage_.append({term(), command});
    storage_.sync();
    advance_commit();
    send_appends();
    return storage_.last_index();
  }

  void deliver(const std::string& line) {
    std::istringstream words(line);
    std::string kind;
    std::uint64_t term = 0;
    std::string from;
    if (!(words >> kind >> term >> from)) return;
    if (term > this->term()) step_down(term);
    if (kind == "vote?") answer_vote(term, from, words);
    if (kind == "vote") take_vote(term, from, words);
    if (kind == "append") answer_append(term, from, words);
    if (kind == "appended") take_appended(term, from, words);
  }

 private:
  struct Follower {
    std::uint64_t next = 1;   // the entry to send next
    std::uint64_t match = 0;  // known to have all up to this one
  };

  void send(const std::string& to, const std::string& line) { outgoing_.push_back({to, line}); }
  std::size_t majority() const { return (peers_.size() + 1) / 2 + 1; }

  void step_down(std::uint64_t term) {
    storage_.set_state(term, "");
    role_ = Role::follower;
    leader_.clear();
  }

  // --- Elections ---

  void answer_vote(std::uint64_t term, const std::string& candidate, std::istringstream& words) {
    std::uint64_t last_index = 0;
    std::uint64_t last_term = 0;
    words >> last_index >> last_term;
    const bool is_free = storage_.vote().empty() || storage_.vote() == candidate;
    const bool is_up_to_date =
        suite::has_bug("old_log") ||
        std::pair(last_term, last_index) >= std::pair(storage_.last_term(), storage_.last_index());
    const bool is_granted = term == this->term() && is_free && is_up_to_date;
    if (is_granted) {
      if (storage_.vote().empty()) storage_.set_state(term, candidate);
      heard_ = true;
    }
    send(candidate,
         "vote " + std::to_string(this->term()) + " " + self_ + (is_granted ? " yes" : " no"));
  }

  void take_vote(std::uint64_t term, const std::string& from, std::istringstream& words) {
    std::string answer;
    words >> answer;
    if (role_ != Role::candidate || term != this->term() || answer != "yes") return;
    votes_.insert(from);
    count_votes();
  }

  void count_votes() {
    if (votes_.size() < majority()) return;
    role_ = Role::leader;
    leader_ = self_;
    followers_.clear();
    for (const std::string& peer : peers_) followers_[peer].next = storage_.last_index() + 1;
    send_appends();
  }

  // --- Replication ---

  void send_appends() {
    for (const std::string& peer : peers_) send_append(peer);
  }

  void send_append(const std::string& peer) {
    const Follower& follower = followers_[peer];
    const std::uint64_t previous = follower.next - 1;
    std::ostringstream line;
    line << "append " << term() << ' ' << self_ << ' ' << previous << ' '
         << storage_.term_of(previous) << ' ' << commit_;
    for (std::uint64_t i = follower.next; i <= storage_.last_index(); ++i) {
      line << " | " << storage_.entry(i).term << ' ' << storage_.entry(i).command;
    }
    send(peer, line.str());
  }

  void answer_append(std::uint64_t term, const std::string& from, std::istringstream& words) {
    std::uint64_t previous = 0;
    std::uint64_t previous_term = 0;
    std::uint64_t leader_commit = 0;
    words >> previous >> previous_term >> leader_commit;
    if (term < this->term()) return refuse(from);
    assert(role_ != Role::leader && "a term has one leader");
    assert((leader_.empty() || leader_ == from) && "a term has one leader");
    role_ = Role::follower;
    leader_ = from;
    heard_ = true;
    if (previous > storage_.last_index() || storage_.term_of(previous) != previous_term) {
      return refuse(from);
    }
    const std::uint64_t match = take_entries(previous, words);
    if (leader_commit > commit_) commit_ = std::min(leader_commit, match);
    send(from, "appended " + std::to_string(this->term()) + " " + self_ + " yes " +
                   std::to_string(match));
  }

  void refuse(const std::string& leader) {
    send(leader, "appended " + std::to_string(term()) + " " + self_ + " no " +
                     std::to_string(storage_.last_index()));
  }

  // The last entry that is now the same as the leader's.
  std::uint64_t take_entries(std::uint64_t index, std::istringstream& words) {
    bool has_changed = false;
    for (std::string bar; words >> bar;) {
      Entry entry;
      words >> entry.term;
      words.ignore(1);
      words >> entry.command;
      ++index;
      if (index <= storage_.last_index()) {
        if (storage_.term_of(index) == entry.term) {
          assert(storage_.entry(index) == entry && "entries with one index and term are the same");
          continue;
        }
        assert(index > commit_ && "what is committed stays");
        storage_.cut(index);
      }
      storage_.append(entry);
      has_changed = true;
    }
    if (has_changed) storage_.sync();
    return index;
  }

  void take_appended(std::uint64_t term, const std::string& from, std::istringstream& words) {
    std::string answer;
    std::uint64_t index = 0;
    words >> answer >> index;
    if (role_ != Role::leader || term != this->term()) return;
    Follower& follower = followers_[from];
    if (answer == "yes") {
      follower.match = std::max(follower.match, index);
      follower.next = follower.match + 1;
      advance_commit();
    } else {
      follower.next = std::max<std::uint64_t>(1, std::min(follower.next - 1, index + 1));
      follower.next = std::max(follower.next, follower.match + 1);
      send_append(from);
    }
  }

  // Only entries of the own term are counted; the older ones are committed with them.
  void advance_commit() {
    for (std::uint64_t index = storage_.last_index(); index > commit_; --index) {
      const bool is_own = storage_.term_of(index) == term();
      if (!is_own && !suite::has_bug("old_term_commit")) return;
      std::size_t count = 1;
      for (const std::string& peer : peers_) count += followers_[peer].match >= index ? 1 : 0;
      if (count < majority()) continue;
      commit_ = index;
      return;
    }
  }

  const std::string self_;
  const std::vector<std::string> peers_;
  Storage storage_;
  Role role_ = Role::follower;
  std::string leader_;  // of this term, if it is known
  std::uint64_t commit_ = 0;
  std::set<std::string> votes_;
  std::map<std::string, Follower> followers_;
  std::vector<Outgoing> outgoing_;
  bool heard_ = false;
};

}  // namespace raft
