// A pool in Redis, as all see it who have to do with its search: the connection, the keys, the
// scripts. Not thread-safe.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "pool/connection.h"
#include "pool/scripts.h"

namespace ricercar::inline pool {

// What is said of a search: texts by names.
using PoolFacts = std::map<std::string, std::string>;

struct PoolKeys {
  explicit PoolKeys(const std::string& name);

  // In braces is what decides where a cluster of Redis keeps them: all in one place.
  std::string search, items, log, earlier, lead, workers, over, attempts;
};

class RedisPool {
 public:
  // As Connection, which it makes; throws UsageError for a Redis that is too old.
  explicit RedisPool(const PoolAddress& address);

  Connection& redis() { return redis_; }
  const PoolKeys& keys() const { return keys_; }

  // `words`: the arguments of the script.
  Reply run(Script script, const RedisWords& words);
  // Without waiting for the answer: Connection::receive.
  void send(Script script, const RedisWords& words);

  // Of the search that is there; empty: there is none.
  PoolFacts facts();
  // How it ended that was there not long ago; empty: there was none.
  std::string end();
  // There is none, because the one who was asked for it searches alone.
  void be_left_alone(const std::string& why);

  // --- For people ---

  bool is_led();
  std::int64_t processes();  // that work on it
  std::int64_t length(const std::string& stream);
  std::int64_t results();  // that have come, all in all
  std::int64_t bytes();    // of Redis' memory
  void remove();

  // Entries behind `last`, or all; at most so many.
  Reply log_after(const std::string& last, const std::string& most);

 private:
  RedisWords command(Script script, const RedisWords& words) const;

  Connection redis_;
  PoolKeys keys_;
  std::array<std::string, script_texts.size()> scripts_;
};

// Throws UsageError if there is no Redis.
RedisPool connect_to_pool(const PoolAddress& address);

// All names of pools at this address.
std::vector<std::string> names_of_pools(Connection& redis);

// Throws UsageError if Redis may throw away what is kept there when its memory is full.
void require_safe_memory(Connection& redis);

bool has_append_only_file(Connection& redis);

// "1700000000000-3": what comes right behind it.
std::string next_entry(const std::string& entry);

}  // namespace ricercar::inline pool
