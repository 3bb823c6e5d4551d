// A small file with a checksum. It is replaced as a whole, so a crash leaves the old content or the
// new one; anything else is damage of the disk, with which a member must not go on.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../common/files.h"

namespace group {

class KeptFile {
 public:
  explicit KeptFile(std::string name) : name_(std::move(name)) {}

  void write(const std::string& text) const {
    suite::replace_file(name_, std::to_string(checksum(text)) + " " + text);
  }

  // Empty: there is none yet.
  std::string read() const {
    const std::string content = suite::content_of(name_);
    if (content.empty()) return "";
    const std::size_t space = content.find(' ');
    const std::string text = space == std::string::npos ? "" : content.substr(space + 1);
    if (content.substr(0, space) == std::to_string(checksum(text))) return text;
    std::fprintf(stderr, "%s: wrong checksum; remove it and give this member a new name\n",
                 name_.c_str());
    std::exit(1);
  }

 private:
  static std::uint32_t checksum(const std::string& text) {
    std::uint32_t sum = 2166136261U;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
    return sum;
  }

  const std::string name_;
};

}  // namespace group
