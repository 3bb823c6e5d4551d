// Connections to servers, kept for the next question. Thread-safe: who asks has a connection to
// itself for so long.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../common/calls.h"

namespace store {

class Connections {
 public:
  explicit Connections(std::uint16_t port) : port_(port) {}

  // Nothing: no answer has come in time. Connections that have failed are not used again.
  std::optional<std::string> ask(const std::string& host, const std::string& question) {
    std::unique_ptr<suite::Caller> caller = take(host);
    std::optional<std::string> answer = caller->ask(question);
    if (answer) give_back(host, std::move(caller));
    return answer;
  }

 private:
  std::unique_ptr<suite::Caller> take(const std::string& host) {
    const std::lock_guard guard(mutex_);
    auto& idle = idle_[host];
    if (idle.empty()) return std::make_unique<suite::Caller>(host, port_);
    std::unique_ptr<suite::Caller> caller = std::move(idle.back());
    idle.pop_back();
    return caller;
  }

  void give_back(const std::string& host, std::unique_ptr<suite::Caller> caller) {
    const std::lock_guard guard(mutex_);
    idle_[host].push_back(std::move(caller));
  }

  const std::uint16_t port_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::unique_ptr<suite::Caller>>> idle_;
};

}  // namespace store
