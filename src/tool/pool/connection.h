// A connection to Redis: commands and their answers, one after the other or several at a time.
// Not thread-safe.
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pool/address.h"
#include "pool/encryption.h"

namespace ricercar::inline pool {

// The connection is gone, or the server says that it cannot answer now: the same may be asked again
// on a new one.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Redis has no room for it: later there may be some.
class PoolIsFull : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Any other error that Redis answers with.
class RedisError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A part of an answer, which lives as long as the answer.
class ReplyView {
 public:
  explicit ReplyView(const redisReply* reply) : reply_(reply) {}

  bool is_nothing() const { return reply_->type == REDIS_REPLY_NIL; }
  std::int64_t number() const { return reply_->integer; }
  std::string_view text() const {
    return reply_->str == nullptr ? std::string_view() : std::string_view(reply_->str, reply_->len);
  }
  std::size_t size() const { return reply_->type == REDIS_REPLY_ARRAY ? reply_->elements : 0; }
  ReplyView operator[](std::size_t index) const { return ReplyView(reply_->element[index]); }

 private:
  const redisReply* reply_;
};

class Reply : public ReplyView {
 public:
  explicit Reply(redisReply* reply) : ReplyView(reply), owned_(reply) {}

 private:
  struct Free {
    void operator()(redisReply* reply) const { ::freeReplyObject(reply); }
  };
  std::unique_ptr<redisReply, Free> owned_;
};

using RedisWords = std::vector<std::string_view>;

class Connection {
 public:
  // Throws ConnectionLost if nobody answers there, UsageError if who does will not have us.
  explicit Connection(const PoolAddress& address);

  // Throws ConnectionLost, PoolIsFull or RedisError.
  Reply ask(const RedisWords& words);

  // The same in two steps: answers come in the order of what was sent.
  void send(const RedisWords& words);
  Reply await();
  // The next answer, if it is there. Reads at most once, so it is asked again until there is none.
  std::optional<Reply> receive();
  // Readable when there is something to receive.
  int descriptor() const { return context_->fd; }

 private:
  struct Free {
    void operator()(redisContext* context) const { ::redisFree(context); }
  };

  void log_in(const PoolAddress& address);
  [[noreturn]] void lose() const;
  // One that has come by now.
  std::optional<Reply> next_reply();
  void take(std::string_view bytes);
  static Reply checked(void* reply);

  // With a channel it is only connected, and understands what the channel has brought.
  std::unique_ptr<redisContext, Free> context_;
  std::optional<EncryptedChannel> channel_;
};

}  // namespace ricercar::inline pool
