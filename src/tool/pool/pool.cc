#include "pool/pool.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"

namespace ricercar::inline pool {
namespace {

constexpr std::string_view prefix = "ricercar:{";
constexpr std::string_view search_suffix = "}:search";

constexpr const char* seconds_of_memory = "3600";

// The value of a line "name:value" of INFO.
std::string field_of(std::string_view info, std::string_view name) {
  const std::string line = "\n" + std::string(name) + ":";
  const std::size_t at = info.find(line);
  if (at == std::string_view::npos) return {};
  const std::string_view value = info.substr(at + line.size());
  return std::string(value.substr(0, value.find_first_of("\r\n")));
}

void require_version(const ReplyView& info) {
  const std::string version = field_of(info.text(), "redis_version");
  if (std::atoi(version.c_str()) >= 7) return;
  throw UsageError("a pool needs Redis 7.0 or later; this one is " +
                   (version.empty() ? "of an unknown version" : version));
}

}  // namespace

PoolKeys::PoolKeys(const std::string& name) {
  const std::string start = std::string(prefix) + name + "}:";
  search = start + "search";
  items = start + "items";
  log = start + "log";
  earlier = start + "earlier";
  lead = start + "lead";
  workers = start + "workers";
  over = start + "over";
  attempts = start + "attempts";
}

// All at once: the network may be slow.
RedisPool::RedisPool(const PoolAddress& address) : redis_(address), keys_(address.name) {
  redis_.send({"INFO", "server"});
  for (const ScriptText& script : script_texts) {
    const auto text = std::string(script.flags) + std::string(script.common);
    redis_.send({"SCRIPT", "LOAD", text + std::string(script.own)});
  }
  require_version(redis_.await());
  for (std::string& script : scripts_) script = redis_.await().text();
}

RedisWords RedisPool::command(Script script, const RedisWords& words) const {
  RedisWords all = {"EVALSHA",     scripts_[static_cast<std::size_t>(script)],
                    "8",           keys_.search,
                    keys_.items,   keys_.log,
                    keys_.earlier, keys_.lead,
                    keys_.workers, keys_.over,
                    keys_.attempts};
  all.insert(all.end(), words.begin(), words.end());
  return all;
}

Reply RedisPool::run(Script script, const RedisWords& words) {
  return redis_.ask(command(script, words));
}

void RedisPool::send(Script script, const RedisWords& words) {
  redis_.send(command(script, words));
}

PoolFacts RedisPool::facts() {
  const Reply reply = redis_.ask({"HGETALL", keys_.search});
  PoolFacts facts;
  for (std::size_t i = 0; i + 1 < reply.size(); i += 2)
    facts[std::string(reply[i].text())] = reply[i + 1].text();
  return facts;
}

std::string RedisPool::end() { return std::string(redis_.ask({"GET", keys_.over}).text()); }

void RedisPool::be_left_alone(const std::string& why) {
  const std::string end = "the command that has begun it searches alone: " + why;
  redis_.ask({"SET", keys_.over, end, "EX", seconds_of_memory});
}

bool RedisPool::is_led() { return redis_.ask({"EXISTS", keys_.lead}).number() != 0; }

std::int64_t RedisPool::processes() {
  const Reply workers = redis_.ask({"ZRANGE", keys_.workers, "0", "-1"});
  std::int64_t count = 0;
  for (std::size_t i = 0; i < workers.size(); ++i) {
    const std::string worker(workers[i].text());
    count += std::atoll(worker.c_str() + worker.rfind(' ') + 1);
  }
  return count;
}

std::int64_t RedisPool::length(const std::string& stream) {
  return redis_.ask({"XLEN", stream}).number();
}

std::int64_t RedisPool::results() {
  if (redis_.ask({"EXISTS", keys_.log}).number() == 0) return 0;
  const Reply about = redis_.ask({"XINFO", "STREAM", keys_.log});
  for (std::size_t i = 0; i + 1 < about.size(); i += 2) {
    if (about[i].text() == "entries-added") return about[i + 1].number();
  }
  return 0;
}

std::int64_t RedisPool::bytes() {
  std::int64_t sum = 0;
  for (const std::string& key : {keys_.search, keys_.items, keys_.log, keys_.earlier}) {
    const Reply size = redis_.ask({"MEMORY", "USAGE", key, "SAMPLES", "0"});
    if (!size.is_nothing()) sum += size.number();
  }
  return sum;
}

void RedisPool::remove() {
  redis_.ask({"DEL", keys_.search, keys_.items, keys_.log, keys_.earlier, keys_.lead, keys_.workers,
              keys_.attempts});
}

Reply RedisPool::log_after(const std::string& last, const std::string& most) {
  const std::string start = last.empty() ? "-" : "(" + last;
  return redis_.ask({"XRANGE", keys_.log, start, "+", "COUNT", most});
}

RedisPool connect_to_pool(const PoolAddress& address) {
  try {
    return RedisPool(address);
  } catch (const ConnectionLost& error) {
    throw UsageError("there is no Redis at " + address.text + ": " + error.what());
  }
}

std::vector<std::string> names_of_pools(Connection& redis) {
  std::vector<std::string> names;
  std::string cursor = "0";
  do {
    const Reply reply =
        redis.ask({"SCAN", cursor, "MATCH", "ricercar:{*}:search", "COUNT", "1000"});
    cursor = reply[0].text();
    for (std::size_t i = 0; i < reply[1].size(); ++i) {
      std::string_view key = reply[1][i].text();
      key.remove_prefix(prefix.size());
      key.remove_suffix(search_suffix.size());
      names.emplace_back(key);
    }
  } while (cursor != "0");
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

void require_safe_memory(Connection& redis) {
  const Reply info = redis.ask({"INFO", "memory"});
  const std::string most = field_of(info.text(), "maxmemory");
  const std::string policy = field_of(info.text(), "maxmemory_policy");
  if (most == "0" || policy.empty() || policy == "noeviction") return;
  throw UsageError("this Redis throws away what it likes when it has used " + most +
                   " bytes (maxmemory-policy is " + policy +
                   "), and a part of the search could be lost: set it to noeviction");
}

bool has_append_only_file(Connection& redis) {
  return field_of(redis.ask({"INFO", "persistence"}).text(), "aof_enabled") == "1";
}

std::string next_entry(const std::string& entry) {
  const std::size_t dash = entry.find('-');
  const std::uint64_t number = std::strtoull(entry.c_str() + dash + 1, nullptr, 10);
  return entry.substr(0, dash + 1) + std::to_string(number + 1);
}

}  // namespace ricercar::inline pool
