#include "pool/leader_link.h"

#include <unistd.h>

#include <algorithm>
#include <random>
#include <utility>

#include "base/error.h"
#include "pool/scripts.h"

namespace ricercar::inline pool {
namespace {

constexpr const char* lead_ms = "15000";
constexpr const char* seconds_of_end = "3600";
constexpr const char* most_entries = "256";
constexpr std::size_t most_at_once = 512;

std::string name_of_leader() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  return "process " + std::to_string(::getpid()) + " on " + host;
}

LogEntry entry_from(const ReplyView& reply) {
  LogEntry entry;
  entry.name = reply[0].text();
  const ReplyView fields = reply[1];
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string value(fields[i + 1].text());
    switch (fields[i].text()[0]) {
      case 'k':
        entry.kind = value;
        break;
      case 'n':
        entry.number = std::stoull(value);
        break;
      case 's':
        entry.checksum = value;
        break;
      default:
        entry.content = value;
    }
  }
  return entry;
}

std::vector<LogEntry> entries_from(const ReplyView& reply) {
  std::vector<LogEntry> entries;
  for (std::size_t i = 0; i < reply.size(); ++i) entries.push_back(entry_from(reply[i]));
  return entries;
}

}  // namespace

std::string random_number() {
  std::random_device random;
  return std::to_string(random()) + std::to_string(random());
}

LeaderLink::LeaderLink(const PoolAddress& address, std::string token)
    : reader_(address), writer_(address), token_(std::move(token)) {}

std::string LeaderLink::find() {
  search_ = writer_.facts()["number"];
  return search_;
}

PoolFacts LeaderLink::create(const PoolFacts& facts) {
  require_safe_memory(writer_.redis());
  search_ = random_number();
  RedisWords words = {search_};
  for (const auto& [name, value] : facts) {
    words.push_back(name);
    words.push_back(value);
  }
  writer_.run(Script::create, words);
  PoolFacts there = writer_.facts();
  search_ = there["number"];
  return there;
}

template <typename Words>
Reply LeaderLink::run(Script script, const Words& more) {
  RedisWords words = {search_, token_};
  words.insert(words.end(), more.begin(), more.end());
  try {
    return writer_.run(script, words);
  } catch (const RedisError& error) {
    const std::string_view said = error.what();
    if (said.starts_with("NOLEAD")) throw LeadLost("another process leads this search by now");
    if (said.starts_with("NOSEARCH")) throw LeadLost("the search is not in the pool any more");
    throw;
  }
}

void LeaderLink::take_lead() {
  const std::string who = name_of_leader();
  const Reply other = run(Script::lead, RedisWords{who, lead_ms});
  if (!other.is_nothing()) {
    throw LeadLost("this search is led already, by " + std::string(other.text()));
  }
}

std::int64_t LeaderLink::renew(const PoolFacts& said) {
  RedisWords words = {lead_ms};
  for (const auto& [name, value] : said) {
    words.push_back(name);
    words.push_back(value);
  }
  return run(Script::renew_lead, words).number();
}

PoolItems LeaderLink::items() {
  PoolItems items;
  for (std::string start = "-";;) {
    const Reply reply =
        writer_.redis().ask({"XRANGE", writer_.keys().items, start, "+", "COUNT", most_entries});
    for (LogEntry& entry : entries_from(reply)) {
      start = "(" + entry.name;
      items[entry.number] = {std::move(entry.checksum), std::move(entry.name)};
    }
    if (reply.size() == 0) return items;
  }
}

std::vector<LogEntry> LeaderLink::log_after(const std::string& last) {
  return entries_from(writer_.log_after(last, most_entries));
}

void LeaderLink::wait_for_log(const std::string& last) {
  if (is_waiting_) return;
  const std::string start = last.empty() ? "0-0" : last;
  reader_.redis().send(
      {"XREAD", "COUNT", most_entries, "BLOCK", "1000", "STREAMS", reader_.keys().log, start});
  is_waiting_ = true;
}

std::vector<LogEntry> LeaderLink::new_entries() {
  if (!is_waiting_) return {};
  const std::optional<Reply> reply = reader_.redis().receive();
  if (!reply) return {};
  is_waiting_ = false;
  if (reply->size() == 0) return {};
  return entries_from((*reply)[0][1]);
}

void LeaderLink::note(const std::string& kind, const std::string& content) {
  writer_.run(Script::note, {search_, kind, content});
}

void LeaderLink::hand_out(const std::vector<std::pair<const std::uint64_t, HandedOut>*>& items) {
  for (std::size_t start = 0; start < items.size(); start += most_at_once) {
    const std::size_t end = std::min(items.size(), start + most_at_once);
    std::vector<std::string> words;
    for (std::size_t i = start; i < end; ++i) {
      words.push_back(std::to_string(items[i]->first));
      words.push_back(items[i]->second.checksum);
      words.push_back(items[i]->second.parcel);
    }
    const Reply names = run(Script::hand_out, words);
    for (std::size_t i = start; i < end; ++i) {
      items[i]->second.entry = names[i - start].text();
      items[i]->second.parcel.clear();
    }
  }
}

void LeaderLink::withdraw(const std::vector<std::string>& entries) {
  if (!entries.empty()) run(Script::withdraw, entries);
}

void LeaderLink::shorten_log(const std::string& beginning, const std::string& last) {
  const std::string behind = next_entry(last);
  run(Script::shorten, RedisWords{beginning, behind});
}

std::optional<std::string> LeaderLink::beginning_of_log(std::size_t call) {
  const Reply reply = writer_.redis().ask({"LINDEX", writer_.keys().earlier, std::to_string(call)});
  if (reply.is_nothing()) return std::nullopt;
  return std::string(reply.text());
}

void LeaderLink::finish() { run(Script::finish, RedisWords{seconds_of_end}); }

void LeaderLink::leave() { run(Script::leave, RedisWords{}); }

}  // namespace ricercar::inline pool
