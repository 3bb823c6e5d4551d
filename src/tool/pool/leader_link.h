// A leader's connections to a pool: items go out, the log of what has become of them comes in.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pool/pool.h"

namespace ricercar::inline pool {

// What tells one search, or one who leads it, from another.
std::string random_number();

// Somebody else leads the search, or it is gone.
class LeadLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// So long nobody else may lead after the last sign of one who did.
inline constexpr double seconds_of_lead = 15;

struct LogEntry {
  std::string name;
  std::string kind;
  std::uint64_t number = 0;  // of a piece
  std::string checksum;      // likewise
  std::string content;
};

struct HandedOut {
  std::string checksum;
  std::string entry;  // its name in the stream; empty: it is not there yet
  std::string parcel = {};
};

// Items by the numbers of their pieces.
using PoolItems = std::map<std::uint64_t, HandedOut>;

class LeaderLink {
 public:
  // `token`: tells one who leads from another.
  LeaderLink(const PoolAddress& address, std::string token);

  // Puts a search there, or finds that it is there. What is said of the search that is there.
  PoolFacts create(const PoolFacts& facts);
  // The number of the search that is there; empty: there is none.
  std::string find();
  // What it keeps outlives a restart.
  bool is_safe() { return has_append_only_file(writer_.redis()); }
  // Throws LeadLost if somebody else does.
  void take_lead();
  // Processes that work on it; -1: somebody has stopped it. `said`: of the search, from now on.
  std::int64_t renew(const PoolFacts& said);

  // What is in the stream.
  PoolItems items();
  // The entries of the log behind `last`; at most so many.
  std::vector<LogEntry> log_after(const std::string& last);
  // The same when they come, after wait_for_log(). Nothing: not yet.
  std::vector<LogEntry> new_entries();
  void wait_for_log(const std::string& last);
  int descriptor() { return reader_.redis().descriptor(); }
  // An entry of our own.
  void note(const std::string& kind, const std::string& content);

  // Fills in their names.
  void hand_out(const std::vector<std::pair<const std::uint64_t, HandedOut>*>& items);
  void withdraw(const std::vector<std::string>& entries);

  // The beginning of the log, up to this entry, takes less room from now on.
  void shorten_log(const std::string& beginning, const std::string& last);
  // What was said in these calls; nothing: that were all.
  std::optional<std::string> beginning_of_log(std::size_t call);
  // The search is over, and nothing of it stays.
  void finish();
  // Somebody else may lead.
  void leave();

 private:
  template <typename Words>
  Reply run(Script script, const Words& more);

  RedisPool reader_;  // waits for the log
  RedisPool writer_;
  std::string search_;
  const std::string token_;
  bool is_waiting_ = false;
};

}  // namespace ricercar::inline pool
