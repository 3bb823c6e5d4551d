// A folder of its own for each test, and changes in it that are noted as the hooks note them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "disk/sync.h"
#include "disk/undo.h"
#include "disk/watch.h"

namespace ricercar::inline disk {

// A folder as a reader sees it: for each path its type, mode and contents.
using Seen = std::map<std::string, std::string>;

inline Seen look(const std::filesystem::path& folder) {
  Seen seen;
  for (const auto& each : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat status = {};
    ::lstat(each.path().c_str(), &status);
    std::ostringstream text;
    text << std::oct << status.st_mode << ' ';
    if (each.is_symlink()) {
      text << std::filesystem::read_symlink(each.path());
    } else if (each.is_regular_file()) {
      text << std::ifstream(each.path()).rdbuf();
    }
    seen[each.path().lexically_relative(folder)] = text.str();
  }
  return seen;
}

class FolderTest : public testing::Test {
 protected:
  FolderTest() : memory_(1 << 24) {
    char name[] = "/tmp/ricercar-disk-XXXXXX";
    folder_ = ::mkdtemp(name);
    log_.use(memory_.data(), memory_.size());
    keep_changes(log_);
  }
  ~FolderTest() override {
    changes_log = nullptr;
    on_lost_change = nullptr;
    on_new_file = nullptr;
    std::filesystem::remove_all(folder_);
  }

  std::string in(const std::string& name) const { return folder_ / name; }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(in(name)) << text;
  }

  // As the hooks do it.
  int open(const std::string& path, int flags) {
    Opening noted(AT_FDCWD, path.c_str(), flags);
    return noted.done(::open(path.c_str(), flags, 0644));
  }
  void write(int file, const std::string& text) {
    Writing noted(file, Writing::where_it_is, text.size());
    noted.done(::write(file, text.data(), text.size()));
  }
  void write_at(int file, const std::string& text, off_t at) {
    Writing noted(file, at, text.size());
    noted.done(::pwrite(file, text.data(), text.size(), at));
  }
  void resize(int file, off_t size) {
    Resizing noted(file, size);
    noted.done(::ftruncate(file, size));
  }
  void remove(const std::string& path) {
    Removing noted(AT_FDCWD, path.c_str());
    noted.done(::remove(path.c_str()));
  }
  void rename(const std::string& from, const std::string& to) {
    Renaming noted(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str());
    noted.done(::rename(from.c_str(), to.c_str()));
  }
  void make_folder(const std::string& path) {
    Making(AT_FDCWD, path.c_str()).done(::mkdir(path.c_str(), 0755));
  }
  void make_link(const std::string& target, const std::string& path) {
    Making(AT_FDCWD, path.c_str()).done(::symlink(target.c_str(), path.c_str()));
  }
  void add_name(const std::string& from, const std::string& to) {
    AddingName(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str()).done(::link(from.c_str(), to.c_str()));
  }
  void change_mode(const std::string& path, mode_t mode) {
    ChangingMode noted(AT_FDCWD, path.c_str());
    noted.done(::chmod(path.c_str(), mode));
  }

  void sync(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY);
    sync_file(log_, file);
    ::close(file);
  }

  std::filesystem::path folder_;
  DiskLog log_;
  std::vector<unsigned char> memory_;
};

}  // namespace ricercar::inline disk
