// What small programs with sockets share: sockets without the ceremony.
#pragma once

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

inline sockaddr_in address_of(const char* host, unsigned short port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (host == nullptr) return address;
  addrinfo hints{};
  hints.ai_family = AF_INET;
  addrinfo* list = nullptr;
  assert(getaddrinfo(host, nullptr, &hints, &list) == 0);
  address.sin_addr = reinterpret_cast<sockaddr_in*>(list->ai_addr)->sin_addr;
  freeaddrinfo(list);
  return address;
}

inline int bound_socket(int type, unsigned short port) {
  const int number = socket(AF_INET, type, 0);
  assert(number >= 0);
  const sockaddr_in address = address_of(nullptr, port);
  assert(bind(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  return number;
}

inline int listening_socket(unsigned short port, int backlog = 8) {
  const int number = bound_socket(SOCK_STREAM, port);
  assert(listen(number, backlog) == 0);
  return number;
}

// Negative: nobody listens, however often it is tried.
inline int connected_socket(const char* host, unsigned short port) {
  const sockaddr_in address = address_of(host, port);
  for (int i = 0; i < 20; ++i) {
    const int number = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(number, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return number;
    }
    close(number);
    usleep(1000);
  }
  return -1;
}

inline bool send_text(int number, const std::string& text) {
  return send(number, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

// Empty: the other side has ended.
inline std::string receive_text(int number) {
  char text[256];
  const ssize_t size = recv(number, text, sizeof text, 0);
  return size <= 0 ? std::string() : std::string(text, static_cast<std::size_t>(size));
}
