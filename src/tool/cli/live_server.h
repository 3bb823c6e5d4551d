// A server of HTTP for one person on this machine: one request after the other, on 127.0.0.1 only.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "cli/live_gate.h"

namespace ricercar::inline cli {

class LiveServer {
 public:
  // 0: a port that is free. Throws UsageError if it is not.
  explicit LiveServer(std::uint16_t port);
  ~LiveServer();

  const LiveGate& gate() const;
  // For ever. Only requests that pass the gate come to `handle`.
  [[noreturn]] void serve(const std::function<HttpAnswer(const HttpRequest&)>& handle);

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace ricercar::inline cli
