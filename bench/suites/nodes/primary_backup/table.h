// What the store keeps: numbers by key, and for each client the last request that is not to be done
// twice, with its result. Primary and backup have one each and make the same changes to it. Not
// thread-safe.
//
// Changes, as lines:
//   set KEY NUMBER                    answered by "ok". A number is never replaced by a smaller
//   one:
//                                     a question may come late, after its sender has asked again
//   add CLIENT REQUEST KEY AMOUNT     answered by "is N"
//   delete CLIENT REQUEST KEY         answered by "is N", what it was
// A client counts its requests up, and has one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "../common/bug.h"
#include "../common/calls.h"

namespace store {

using Words = std::vector<std::string>;

class Table {
 public:
  static bool is_change(const Words& words) {
    if (words.empty()) return false;
    if (words[0] == "set") return words.size() == 3 && suite::is_number(words[2]);
    if (words.size() < 4 || !suite::is_number(words[2])) return false;
    if (words[0] == "add") return words.size() == 5 && suite::is_number(words[4]);
    return words[0] == "delete" && words.size() == 4;
  }

  std::string apply(const Words& change) {
    if (change[0] == "set") return set(change[1], std::stoull(change[2]));
    Session& session = sessions_[change[1]];
    const std::uint64_t request = std::stoull(change[2]);
    if (request < session.request) return "old";
    if (request > session.request) {
      session.request = request;
      session.result =
          change[0] == "add" ? add(change[3], std::stoull(change[4])) : remove(change[3]);
    }
    return "is " + std::to_string(session.result);
  }

  std::string get(const std::string& key) const {
    const auto found = entries_.find(key);
    const bool is_there = found != entries_.end() && !found->second.is_deleted;
    return is_there ? "is " + std::to_string(found->second.number) : "none";
  }

  std::string list(const std::string& prefix) const {
    std::string text = "keys";
    for (auto each = entries_.lower_bound(prefix); each != entries_.end(); ++each) {
      if (!each->first.starts_with(prefix)) break;
      if (!each->second.is_deleted) text += " " + each->first;
    }
    return text;
  }

  std::size_t size() const { return entries_.size(); }
  std::size_t clients() const { return sessions_.size(); }

  // Everything, for another server.
  std::string text() const {
    std::ostringstream words;
    for (const auto& [key, entry] : entries_) {
      words << (entry.is_deleted ? " deleted " : " key ") << key << ' ' << entry.number;
    }
    for (const auto& [client, session] : sessions_) {
      words << " client " << client << ' ' << session.request << ' ' << session.result;
    }
    return words.str();
  }

  static Table of(const std::string& text) {
    Table table;
    std::istringstream words(text);
    for (std::string kind, name; words >> kind >> name;) {
      if (kind == "client") {
        Session& session = table.sessions_[name];
        words >> session.request >> session.result;
      } else {
        Entry& entry = table.entries_[name];
        words >> entry.number;
        entry.is_deleted = kind == "deleted";
      }
    }
    return table;
  }

 private:
  struct Entry {
    std::uint64_t number = 0;
    bool is_deleted = false;  // it stays with its number, so that a late `set` does not revive it
  };
  struct Session {
    std::uint64_t request = 0;
    std::uint64_t result = 0;
  };

  std::string set(const std::string& key, std::uint64_t number) {
    Entry& entry = entries_[key];
    if (number > entry.number || suite::has_bug("old_set")) entry = {number, false};
    return "ok";
  }

  std::uint64_t add(const std::string& key, std::uint64_t amount) {
    Entry& entry = entries_[key];
    entry = {(entry.is_deleted ? 0 : entry.number) + amount, false};
    return entry.number;
  }

  std::uint64_t remove(const std::string& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end() || found->second.is_deleted) return 0;
    found->second.is_deleted = true;
    return found->second.number;
  }

  std::map<std::string, Entry> entries_;
  std::map<std::string, Session> sessions_;
};

}  // namespace store
