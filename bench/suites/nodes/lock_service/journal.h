// Values by name that survive a crash: a file to which each change is appended, as a line with a
// checksum, and which is synced before the change counts. A line that a crash has left by halves is
// no change. When most lines are out of date the file is written anew. Not thread-safe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "../common/calls.h"
#include "../common/files.h"
#include "../common/notes.h"

namespace locks {

class Journal {
 public:
  using Values = std::map<std::string, std::string>;

  explicit Journal(std::string name) : name_(std::move(name)) {
    replay();
    suite::note(name_ + ": " + std::to_string(lines_) + " lines, " +
                std::to_string(values_.size()) + " values");
    compact();
  }
  ~Journal() { ::close(file_); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const Values& values() const { return values_; }

  // On disk before it returns.
  void put(const std::string& name, const std::string& value) {
    values_[name] = value;
    suite::write_all(file_, line_of(name, value));
    if (::fdatasync(file_) != 0) suite::file_failed(name_);
    ++lines_;
    if (lines_ > 4 + 2 * values_.size()) compact();
  }

 private:
  static std::uint32_t checksum(const std::string& text) {
    std::uint32_t sum = 2166136261U;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
    return sum;
  }

  static std::string line_of(const std::string& name, const std::string& value) {
    const std::string text = name + " " + value;
    return std::to_string(checksum(text)) + " " + text + "\n";
  }

  void replay() {
    std::istringstream text(suite::content_of(name_));
    for (std::string line; std::getline(text, line); ++lines_) {
      const std::size_t first = line.find(' ');
      const std::size_t second = line.find(' ', first + 1);
      if (first == std::string::npos || second == std::string::npos) return;
      const std::string name = line.substr(first + 1, second - first - 1);
      const std::string value = line.substr(second + 1);
      if (line + "\n" != line_of(name, value)) return;
      values_[name] = value;
    }
  }

  // After a crash either the old file is there or the new one: with the same values.
  void compact() {
    std::string text;
    for (const auto& [name, value] : values_) text += line_of(name, value);
    suite::replace_file(name_, text);
    if (file_ >= 0) ::close(file_);
    file_ = ::open(name_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file_ < 0) suite::file_failed(name_);
    lines_ = values_.size();
  }

  const std::string name_;
  int file_ = -1;
  std::size_t lines_ = 0;
  Values values_;
};

}  // namespace locks
