// A server in the same process: it has one file and hands out pieces of it, a few bytes at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <utility>

namespace hapset {

class Server {
 public:
  Server(std::string content, std::size_t chunk) : content_(std::move(content)), chunk_(chunk) {}

  std::size_t size() const { return content_.size(); }
  const std::string& content() const { return content_; }

  // At most `size` bytes of the file from `offset` on: as many as are in one packet.
  std::size_t receive(std::size_t offset, char* buffer, std::size_t size) {
    const std::size_t count = std::min({size, chunk_, content_.size() - offset});
    std::memcpy(buffer, content_.data() + offset, count);
    const std::lock_guard guard(mutex_);
    ++packets_;
    return count;
  }

  std::size_t packets() {
    const std::lock_guard guard(mutex_);
    return packets_;
  }

 private:
  const std::string content_;
  const std::size_t chunk_;
  std::mutex mutex_;
  std::size_t packets_ = 0;
};

// What a worker reads its segment of the file through.
class Connection {
 public:
  Connection(Server& server, std::size_t offset) : server_(server), offset_(offset) {}

  std::size_t receive(char* buffer, std::size_t size) {
    const std::size_t count = server_.receive(offset_, buffer, size);
    offset_ += count;
    return count;
  }

 private:
  Server& server_;
  std::size_t offset_;
};

}  // namespace hapset
