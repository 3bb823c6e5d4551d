// The properties of a cluster as a library that its coordinator can load.
#pragma once

#include <string>

namespace ricercar::inline cli {

// A folder for temporary files, removed with everything in it.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Lives as long as its file.
class PropertyLibrary {
 public:
  // Throws UsageError if the file does not compile; the compiler says why.
  explicit PropertyLibrary(const std::string& source);

  const std::string& path() const { return path_; }

 private:
  ScratchFolder folder_;
  std::string path_;
};

}  // namespace ricercar::inline cli
