// A Redis of a test's own: on a socket in the test's folder, and gone with it. Where none is
// installed there is none.
#pragma once

#include <string>
#include <vector>

#include "support/process.h"

namespace ricercar::test {

class RedisServer {
 public:
  // `options`: as `redis-server` has them, besides a socket and an append-only file in `folder`.
  explicit RedisServer(std::string folder, std::vector<std::string> options = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  static bool is_installed();

  std::string socket() const { return folder_ + "/redis.socket"; }
  // Of a pool there.
  std::string address(const std::string& name) const {
    return "redis+unix://" + socket() + "?name=" + name;
  }

  void kill();   // at once
  void start();  // again, with what it has written down
  // What redis-cli prints.
  std::string ask(std::vector<std::string> words) const;
  // Of a part of the pool "test"; -1: the pool is not there.
  int length(const std::string& part) const;
  // To a stream there, since it was made; -1: it is not there.
  int added_to(const std::string& part) const;
  // It was, and its search is over.
  bool was_there() const;

 private:
  void await() const;

  const std::string folder_;
  const std::vector<std::string> options_;
  pid_t process_ = 0;
};

}  // namespace ricercar::test
