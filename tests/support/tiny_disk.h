// A disk that is full.
#pragma once

#include <sys/mount.h>

#include <filesystem>
#include <string>
#include <utility>

namespace ricercar::test {

// A file system with room for a folder and no more.
class TinyDisk {
 public:
  explicit TinyDisk(std::string path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
    is_there_ = mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=4k,nr_inodes=3") == 0;
  }
  ~TinyDisk() {
    if (is_there_) umount(path_.c_str());
  }
  TinyDisk(const TinyDisk&) = delete;
  TinyDisk& operator=(const TinyDisk&) = delete;
  bool is_there() const { return is_there_; }

 private:
  std::string path_;
  bool is_there_;
};

}  // namespace ricercar::test
