// Sockets as the systems of this suite use them: addresses by name, and lines over a connection.
#pragma once

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace suite {

[[noreturn]] inline void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

// A descriptor that is closed with its owner.
class Socket {
 public:
  Socket() = default;
  explicit Socket(int number) : number_(number) {}
  ~Socket() { close(); }
  Socket(Socket&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    if (this != &other) {
      close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_ = -1;
};

// Nothing: there is no such host.
inline std::optional<sockaddr_in> found_address(const std::string& host, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_family = AF_INET;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), nullptr, &hints, &list);
  if (error != 0) {
    std::fprintf(stderr, "%s: %s\n", host.c_str(), gai_strerror(error));
    return std::nullopt;
  }
  sockaddr_in address = {};
  std::memcpy(&address, list->ai_addr, sizeof address);
  address.sin_port = htons(port);
  freeaddrinfo(list);
  return address;
}

inline sockaddr_in address_of(const std::string& host, std::uint16_t port) {
  const std::optional<sockaddr_in> address = found_address(host, port);
  if (!address) std::exit(1);
  return *address;
}

inline Socket bound(int type, std::uint16_t port) {
  Socket own(::socket(AF_INET, type | SOCK_CLOEXEC, 0));
  if (!own.is_open()) die("socket");
  const int yes = 1;
  ::setsockopt(own.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (::bind(own.number(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) die("bind");
  return own;
}

inline Socket listening(std::uint16_t port) {
  Socket own = bound(SOCK_STREAM, port);
  if (::listen(own.number(), 16) != 0) die("listen");
  return own;
}

// Not open: nobody listens there.
inline Socket connected(const std::string& host, std::uint16_t port) {
  Socket own(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!own.is_open()) die("socket");
  const sockaddr_in address = address_of(host, port);
  if (::connect(own.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return {};
  }
  const int yes = 1;
  ::setsockopt(own.number(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  return own;
}

inline bool send_all(int number, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t size = ::send(number, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    sent += static_cast<std::size_t>(size);
  }
  return true;
}

inline bool send_line(int number, const std::string& line) { return send_all(number, line + "\n"); }

// What has come of a stream, line by line.
class Lines {
 public:
  void add(const char* bytes, std::size_t size) { text_.append(bytes, size); }
  std::optional<std::string> next() {
    const std::size_t end = text_.find('\n');
    if (end == std::string::npos) return std::nullopt;
    std::string line = text_.substr(0, end);
    text_.erase(0, end + 1);
    return line;
  }
  // Waits for a line; nothing: the stream has ended, failed, or come to its time limit.
  std::optional<std::string> read(int number) {
    for (;;) {
      if (std::optional<std::string> line = next()) return line;
      char bytes[4096];
      const ssize_t size = ::recv(number, bytes, sizeof bytes, 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return std::nullopt;
      add(bytes, static_cast<std::size_t>(size));
    }
  }

 private:
  std::string text_;
};

}  // namespace suite
