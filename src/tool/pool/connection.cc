#include "pool/connection.h"

#include <poll.h>
#include <signal.h>

#include <cstdlib>

#include "base/error.h"
#include "base/files.h"

namespace ricercar::inline pool {
namespace {

constexpr timeval to_connect = {5, 0};
// A network may be slow by seconds.
constexpr timeval to_answer = {30, 0};

constexpr const char* password_variable = "REDISCLI_AUTH";
constexpr const char* file_variable = "RICERCAR_POOL_PASSWORD_FILE";
constexpr std::size_t longest_password = 4096;

std::string read_password() {
  std::string password;
  if (const char* file = std::getenv(file_variable); file != nullptr) {
    password = read_file(file, longest_password);
    password.resize(password.find_last_not_of("\r\n") + 1);
  } else if (const char* value = std::getenv(password_variable); value != nullptr) {
    password = value;
  }
  ::unsetenv(password_variable);
  return password;
}

// Empty: there is none. Taken out of the environment when it is read, so that no program under test
// gets it.
const std::string& pool_password() {
  static const std::string password = read_password();
  return password;
}

// With a server that starts, or one that is about to be another one's copy, it is no use to go on,
// but to come again.
bool is_passing(std::string_view error) {
  for (const std::string_view word : {"LOADING", "MASTERDOWN", "READONLY", "TRYAGAIN", "NOSCRIPT",
                                      "CLUSTERDOWN", "BUSY ", "NOREPLICAS", "MISCONF"}) {
    if (error.starts_with(word)) return true;
  }
  return false;
}

std::string formatted(int count, const char** words, const std::size_t* sizes) {
  char* command = nullptr;
  const int size = ::redisFormatCommandArgv(&command, count, words, sizes);
  if (size < 0) throw ConnectionLost("there is no memory for a command");
  std::string bytes(command, static_cast<std::size_t>(size));
  ::redisFreeCommand(command);
  return bytes;
}

redisContext* connect_to(const PoolAddress& address) {
  ::signal(SIGPIPE, SIG_IGN);  // a connection that is gone is an error like others
  if (!address.socket.empty()) {
    return ::redisConnectUnixWithTimeout(address.socket.c_str(), to_connect);
  }
  return ::redisConnectWithTimeout(address.host.c_str(), address.port, to_connect);
}

}  // namespace

Connection::Connection(const PoolAddress& address) : context_(connect_to(address)) {
  if (context_ == nullptr) throw ConnectionLost("there is no memory for a connection");
  if (context_->err != 0) lose();
  ::redisSetTimeout(context_.get(), to_answer);
  if (address.socket.empty()) ::redisEnableKeepAlive(context_.get());
  if (address.is_encrypted) channel_.emplace(descriptor(), address.host);
  log_in(address);
}

void Connection::log_in(const PoolAddress& address) {
  const std::string& password = pool_password();
  try {
    if (!address.user.empty()) {
      ask({"AUTH", address.user, password});
    } else if (!password.empty()) {
      ask({"AUTH", password});
    } else {
      ask({"PING"});
    }
  } catch (const RedisError& error) {
    const std::string_view said = error.what();
    if (said.starts_with("NOAUTH")) {
      throw UsageError(
          "the pool at " + address.text +
          " wants a password: put it into the environment as REDISCLI_AUTH, or into a file that "
          "RICERCAR_POOL_PASSWORD_FILE names");
    }
    throw UsageError("the pool at " + address.text +
                     " does not accept the user or password: " + std::string(said));
  } catch (const ConnectionLost& error) {
    if (address.is_encrypted || !address.socket.empty()) throw;
    throw ConnectionLost(std::string(error.what()) +
                         " (where connections are encrypted the address begins with rediss://)");
  }
}

void Connection::lose() const { throw ConnectionLost(context_->errstr); }

Reply Connection::checked(void* reply) {
  Reply result(static_cast<redisReply*>(reply));
  if (static_cast<redisReply*>(reply)->type != REDIS_REPLY_ERROR) return result;
  const std::string error(result.text());
  if (error.starts_with("OOM")) throw PoolIsFull(error);
  if (is_passing(error)) throw ConnectionLost(error);
  throw RedisError(error);
}

void Connection::send(const RedisWords& words) {
  std::vector<const char*> pointers;
  std::vector<std::size_t> sizes;
  for (const std::string_view word : words) {
    pointers.push_back(word.data());
    sizes.push_back(word.size());
  }
  const auto count = static_cast<int>(words.size());
  if (channel_) return channel_->write(formatted(count, pointers.data(), sizes.data()));
  if (::redisAppendCommandArgv(context_.get(), count, pointers.data(), sizes.data()) != REDIS_OK)
    lose();
  for (int is_done = 0; is_done == 0;) {
    if (::redisBufferWrite(context_.get(), &is_done) != REDIS_OK) lose();
  }
}

std::optional<Reply> Connection::next_reply() {
  void* reply = nullptr;
  if (::redisGetReplyFromReader(context_.get(), &reply) != REDIS_OK) lose();
  if (reply == nullptr) return std::nullopt;
  return checked(reply);
}

void Connection::take(std::string_view bytes) {
  if (::redisReaderFeed(context_->reader, bytes.data(), bytes.size()) != REDIS_OK) lose();
}

Reply Connection::ask(const RedisWords& words) {
  send(words);
  return await();
}

Reply Connection::await() {
  if (channel_) {
    for (;;) {
      if (std::optional<Reply> reply = next_reply()) return std::move(*reply);
      take(channel_->await());
    }
  }
  void* reply = nullptr;
  if (::redisGetReply(context_.get(), &reply) != REDIS_OK || reply == nullptr) lose();
  return checked(reply);
}

std::optional<Reply> Connection::receive() {
  if (std::optional<Reply> reply = next_reply()) return reply;
  if (channel_) {
    for (;;) {
      const std::string_view bytes = channel_->read();
      if (bytes.empty()) return std::nullopt;
      take(bytes);
      if (std::optional<Reply> reply = next_reply()) return reply;
    }
  }
  pollfd readable = {descriptor(), POLLIN, 0};
  if (::poll(&readable, 1, 0) <= 0) return std::nullopt;
  if (::redisBufferRead(context_.get()) != REDIS_OK) lose();
  return next_reply();
}

}  // namespace ricercar::inline pool
