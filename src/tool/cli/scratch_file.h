// The file for what a search cannot keep in memory. It lies in the output folder, carries the
// number of the process in its name, and goes when the search ends. What an earlier search left
// behind because it was killed is told and removed.
#pragma once

#include <string>

namespace ricercar::inline cli {

class ScratchFile {
 public:
  explicit ScratchFile(const std::string& folder);
  ~ScratchFile();
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }
  // For people; empty if nothing was left.
  const std::string& note() const { return note_; }

 private:
  std::string path_;
  std::string note_;
};

}  // namespace ricercar::inline cli
