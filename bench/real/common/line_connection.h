// A connection to a server that speaks in lines: what the clients of real programs share. It
// connects again when the server was gone, and says whether an answer came.
#pragma once
#include <netdb.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <optional>
#include <string>

class LineConnection {
 public:
  LineConnection(std::string host, std::string port)
      : host_(std::move(host)), port_(std::move(port)) {}
  ~LineConnection() { drop(); }
  LineConnection(const LineConnection&) = delete;
  LineConnection& operator=(const LineConnection&) = delete;

  // The first line of the answer; nothing if the connection broke before it came.
  std::optional<std::string> ask(const std::string& request) {
    if (!connected() || !send_all(request)) return drop();
    return line();
  }

  // The next line of an answer, without its end.
  std::optional<std::string> line() {
    std::size_t end;
    while ((end = unread_.find("\r\n")) == std::string::npos) {
      if (!receive()) return drop();
    }
    std::string result = unread_.substr(0, end);
    unread_.erase(0, end + 2);
    return result;
  }

 private:
  std::optional<std::string> drop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
    unread_.clear();
    return std::nullopt;
  }

  bool send_all(const std::string& bytes) {
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  bool receive() {
    char bytes[512];
    const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    unread_.append(bytes, static_cast<std::size_t>(count));
    return true;
  }

  bool connected() {
    for (int attempt = 0; socket_ < 0 && attempt < 5; ++attempt) {
      if (!try_to_connect()) pause();
    }
    return socket_ >= 0;
  }

  bool try_to_connect() {
    addrinfo hints = {}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host_.c_str(), port_.c_str(), &hints, &found) != 0) return false;
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(socket_, found->ai_addr, found->ai_addrlen) != 0) drop();
    freeaddrinfo(found);
    return socket_ >= 0;
  }

  static void pause() {
    const timespec tenth = {0, 100'000'000};
    nanosleep(&tenth, nullptr);
  }

  std::string host_, port_, unread_;
  int socket_ = -1;
};
