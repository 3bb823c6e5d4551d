// Source files as places name them ("queue.cc:41"): found by the end of their paths below a folder.
// Reads the disk when it is first asked. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ricercar::inline report {

struct FilePlace {
  std::string file;
  std::uint64_t line = 0;
};

// Nothing for a place that is no line of a file, as "push+0x1c".
std::optional<FilePlace> file_place(const std::string& place);

class SourceFiles {
 public:
  explicit SourceFiles(std::string folder) : folder_(std::move(folder)) {}

  // True if there certainly is no such file. A folder that is too large to look through may have
  // any.
  bool misses(const std::string& file);
  // The text of a line without the space around it; empty if it cannot be read, or if two files
  // have the name.
  std::string line(const std::string& place);
  // All lines, as they are but for space at their ends; none if they cannot be read, or if two
  // files have the name.
  const std::vector<std::string>& lines(const std::string& file);

 private:
  void look_through();
  std::vector<std::string> find(const std::string& file);

  std::string folder_;
  bool is_looked_through_ = false;
  bool is_too_large_ = false;
  std::multimap<std::string, std::string> paths_;  // by their last part
  std::map<std::string, std::vector<std::string>> lines_;
};

}  // namespace ricercar::inline report
