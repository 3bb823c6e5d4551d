// Calls over TCP: a line as the question, a line as the answer, on a connection that is kept. And a
// server that answers with a thread for each connection.
#pragma once

#include <sys/time.h>

#include <functional>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>
#include <vector>

#include "sockets.h"

namespace suite {

inline std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

// One that fits into 64 bits.
inline bool is_number(const std::string& word) {
  return !word.empty() && word.size() < 20 &&
         word.find_first_not_of("0123456789") == std::string::npos;
}

// The way to one server. Not thread-safe.
class Caller {
 public:
  Caller(std::string host, std::uint16_t port) : host_(std::move(host)), port_(port) {}

  // Nothing: no answer has come in time; whether the question was heard is not known.
  std::optional<std::string> ask(const std::string& question) {
    if (!connection_.is_open() && !connect()) return std::nullopt;
    std::optional<std::string> answer;
    if (send_line(connection_.number(), question)) answer = lines_.read(connection_.number());
    if (!answer) connection_.close();
    return answer;
  }

 private:
  bool connect() {
    connection_ = connected(host_, port_);
    lines_ = {};
    if (!connection_.is_open()) return false;
    const timeval patience = {1, 0};
    ::setsockopt(connection_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return true;
  }

  const std::string host_;
  const std::uint16_t port_;
  Socket connection_;
  Lines lines_;
};

using Answering = std::function<std::string(const std::string&)>;

inline void answer_all(Socket connection, const Answering& answering) {
  Lines lines;
  while (const std::optional<std::string> question = lines.read(connection.number())) {
    if (!send_line(connection.number(), answering(*question))) return;
  }
}

// For ever.
[[noreturn]] inline void serve(std::uint16_t port, const Answering& answering) {
  const Socket listener = listening(port);
  for (;;) {
    Socket connection(::accept4(listener.number(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection.is_open()) continue;
    std::thread([connection = std::move(connection), &answering]() mutable {
      answer_all(std::move(connection), answering);
    }).detach();
  }
}

}  // namespace suite
