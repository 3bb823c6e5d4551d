// The number that the program sees for its own process, and the files of /proc that it finds by it.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>

namespace ricercar::inline threads {

inline constexpr int seen_process_id = 4000;

// /proc/4000/maps is /proc/self/maps in truth.
class RealPath {
 public:
  explicit RealPath(const char* path) : path_(path) {
    char own[32];
    std::snprintf(own, sizeof own, "/proc/%d/", seen_process_id);
    const std::size_t length = std::strlen(own);
    if (path == nullptr || std::strncmp(path, own, length) != 0) return;
    const int written = std::snprintf(changed_, sizeof changed_, "/proc/self/%s", path + length);
    if (written > 0 && static_cast<std::size_t>(written) < sizeof changed_) path_ = changed_;
  }
  RealPath(const RealPath&) = delete;
  RealPath& operator=(const RealPath&) = delete;

  const char* get() const { return path_; }

 private:
  const char* path_;
  char changed_[256];
};

}  // namespace ricercar::inline threads
