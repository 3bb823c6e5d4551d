#include "pool/worker_link.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/error.h"
#include "pool/scripts.h"

namespace ricercar::inline pool {
namespace {

constexpr double usual_lease_seconds = 30;
constexpr double usual_patience_seconds = 600;
constexpr double seconds_to_flush = 10;
constexpr double seconds_to_reconnect = 0.5;
// An item that so many have begun and nobody has brought back is not given to another one.
constexpr std::ptrdiff_t most_attempts = 3;

// Tests are in a hurry.
double seconds_from(const char* variable, double usual) {
  const char* value = std::getenv(variable);
  return value != nullptr && std::atof(value) > 0 ? std::atof(value) : usual;
}

std::string milliseconds(double seconds) {
  return std::to_string(static_cast<std::int64_t>(seconds * 1000));
}

std::string name_of_worker() {
  char host[256] = "";
  ::gethostname(host, sizeof host - 1);
  std::random_device random;
  return std::string(host) + ":" + std::to_string(::getpid()) + ":" + std::to_string(random());
}

bool says_that_it_is_gone(const RedisError& error) {
  const std::string_view said = error.what();
  return said.starts_with("NOGROUP") || said.starts_with("UNBLOCKED");
}

PoolItem item_from(const ReplyView& entry) {
  PoolItem item;
  item.entry = entry[0].text();
  const ReplyView fields = entry[1];
  for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
    const std::string_view name = fields[i].text();
    std::string& field = name == "n" ? item.number : name == "s" ? item.checksum : item.parcel;
    field = fields[i + 1].text();
  }
  return item;
}

}  // namespace

double lease_seconds() { return seconds_from("RICERCAR_POOL_LEASE_SECONDS", usual_lease_seconds); }

double pool_patience_seconds() {
  return seconds_from("RICERCAR_POOL_PATIENCE_SECONDS", usual_patience_seconds);
}

WorkerLink::WorkerLink(const PoolAddress& address, std::string search, std::uint32_t jobs)
    : address_(address),
      search_(std::move(search)),
      name_(name_of_worker()),
      presence_(name_ + " " + std::to_string(jobs)) {
  try_to([] {});  // where a thousand come at once, some come again
}

WorkerLink::~WorkerLink() {
  try {
    if (writer_) writer_->redis().ask({"ZREM", writer_->keys().workers, presence_});
  } catch (const std::exception&) {
    return;  // it is forgotten after a while
  }
}

void WorkerLink::connect() {
  reader_.emplace(address_);
  writer_.emplace(address_);
  is_asked_ = false;
  next_renewal_ = 0;
  sent_ = 0;
  send_all();
}

void WorkerLink::lose(const std::exception& error) {
  reader_.reset();
  writer_.reset();
  const double now = now_seconds();
  if (gone_since_ == 0) gone_since_ = now;
  next_connect_ = now + seconds_to_reconnect;
  if (now - gone_since_ < pool_patience_seconds()) return;
  throw UsageError("the pool at " + address_.text + " cannot be reached any more: " + error.what());
}

// What goes wrong with the connection is put right later.
template <typename Work>
void WorkerLink::try_to(Work work) {
  if (is_over_) return;
  try {
    if (!writer_) {
      if (now_seconds() < next_connect_) return;
      connect();
      gone_since_ = 0;
    }
    work();
  } catch (const ConnectionLost& error) {
    lose(error);
  } catch (const PoolIsFull& error) {
    lose(error);  // what was said may not have arrived
  } catch (const RedisError& error) {
    if (!says_that_it_is_gone(error))
      throw UsageError("the pool says: " + std::string(error.what()));
    is_over_ = true;
  }
}

std::vector<PoolItem> WorkerLink::exchange(std::size_t wanted,
                                           const std::vector<std::string>& held) {
  std::vector<PoolItem> items;
  lost_.clear();
  try_to([&] {
    send_all();
    hear();
    read_items(items, wanted);
    renew(held);
    if (wanted > items.size()) take_over(items);
  });
  return items;
}

// --- What comes in ---

void WorkerLink::take_items(std::vector<PoolItem>& items, const ReplyView& entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) items.push_back(item_from(entries[i]));
}

// The answer may come much later.
void WorkerLink::read_items(std::vector<PoolItem>& items, std::size_t wanted) {
  while (is_asked_) {
    const std::optional<Reply> reply = reader_->redis().receive();
    if (!reply) return;
    is_asked_ = false;
    if (reply->size() > 0) take_items(items, (*reply)[0][1]);
  }
  if (wanted <= items.size()) return;
  const std::string count = std::to_string(wanted - items.size());
  reader_->redis().send({"XREADGROUP", "GROUP", search_, name_, "COUNT", count, "BLOCK", "1000",
                         "STREAMS", reader_->keys().items, ">"});
  is_asked_ = true;
}

void WorkerLink::renew(const std::vector<std::string>& held) {
  if (now_seconds() < next_renewal_) return;
  next_renewal_ = now_seconds() + lease_seconds() / 4;
  const std::string silence = milliseconds(lease_seconds());
  RedisWords words = {search_, name_, silence, presence_};
  words.insert(words.end(), held.begin(), held.end());
  hear_all();
  const Reply lost = writer_->run(Script::renew, words);
  for (std::size_t i = 0; i < lost.size(); ++i) lost_.emplace_back(lost[i].text());
}

// An item of one who is not heard of any more.
void WorkerLink::take_over(std::vector<PoolItem>& items) {
  if (now_seconds() < next_takeover_) return;
  next_takeover_ = now_seconds() + lease_seconds() / 4;
  hear_all();
  const std::string lease = milliseconds(lease_seconds());
  Connection& redis = writer_->redis();
  const Reply reply =
      redis.ask({"XAUTOCLAIM", writer_->keys().items, search_, name_, lease, "0-0", "COUNT", "1"});
  std::vector<PoolItem> taken;
  take_items(taken, reply[1]);
  for (PoolItem& item : taken) {
    next_takeover_ = 0;  // there may be more
    if (!set_aside(item)) items.push_back(std::move(item));
  }
}

// True: too many have begun it.
bool WorkerLink::set_aside(const PoolItem& item) {
  const Reply reply = writer_->redis().ask({"HGET", writer_->keys().attempts, item.entry});
  std::string attempts(reply.text());
  if (std::count(attempts.begin(), attempts.end(), ' ') < most_attempts) return false;
  attempts.pop_back();
  writer_->run(Script::set_aside, {search_, item.entry, item.number, item.checksum,
                                   "every worker that has begun it has ended: " + attempts});
  return true;
}

// --- What goes out ---

// Goes with what was completed before, if that has not gone yet.
void WorkerLink::begin(PoolItem& item) {
  item.attempt = name_ + "#" + std::to_string(++attempts_);
  const bool can_join = sent_ < said_.size() && said_.back().script == Script::complete;
  if (!can_join) said_.push_back({Script::begin, {search_}});
  said_.back().words.push_back(item.entry);
  said_.back().words.push_back(item.attempt);
  try_to([&] { send_all(); });
}

void WorkerLink::complete(const PoolItem& item, std::string result) {
  said_.push_back(
      {Script::complete, {search_, item.entry, item.number, item.checksum, std::move(result)}});
}

void WorkerLink::release(const PoolItem& item, bool was_attempt) {
  Saying saying{Script::release, {search_, name_, item.entry}};
  if (!was_attempt && !item.attempt.empty()) saying.words.push_back(item.attempt);
  say(std::move(saying));
}

// Without a connection there is nobody to disagree with: what is searched meanwhile was asked for
// before.
bool WorkerLink::agrees(const std::string& what, const std::string& value) {
  bool is_same = true;
  try_to([&] {
    hear_all();
    is_same = writer_->run(Script::agree, {search_, what, value}).text() == value;
  });
  return is_same;
}

void WorkerLink::tell(const std::string& kind, const std::string& message) {
  say({Script::note, {search_, kind, message}});
}

void WorkerLink::say(Saying saying) {
  said_.push_back(std::move(saying));
  try_to([&] { send_all(); });
}

void WorkerLink::send_all() {
  if (!writer_) return;
  for (; sent_ < said_.size(); ++sent_) {
    const Saying& saying = said_[sent_];
    writer_->send(saying.script, {saying.words.begin(), saying.words.end()});
  }
}

void WorkerLink::hear() {
  for (; sent_ > 0 && writer_->redis().receive(); --sent_) said_.pop_front();
}

void WorkerLink::flush() {
  constexpr useconds_t between_attempts_us = 50'000;
  const double end = now_seconds() + seconds_to_flush;
  while (!said_.empty() && !is_over_ && now_seconds() < end) {
    try_to([&] { hear_all(); });
    if (!said_.empty()) ::usleep(between_attempts_us);
  }
}

void WorkerLink::hear_all() {
  send_all();
  while (!said_.empty() && writer_ && !is_over_) {
    pollfd readable = {writer_->redis().descriptor(), POLLIN, 0};
    constexpr int patience_ms = 30000;
    hear();
    if (!said_.empty() && ::poll(&readable, 1, patience_ms) == 0) {
      throw ConnectionLost("it does not answer");
    }
  }
}

}  // namespace ricercar::inline pool
