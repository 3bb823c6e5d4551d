// The properties of a cluster as a library that its coordinator can load. A library is kept in the
// user's cache, because a bug is looked at several times, and compiled again when a file that it
// was made from has changed.
#pragma once

#include <string>
#include <vector>

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

// Lives at least as long as its file is used.
class PropertyLibrary {
 public:
  // Throws UsageError if the file does not compile; the compiler says why.
  explicit PropertyLibrary(const std::string& source);

  const std::string& path() const { return path_; }

 private:
  void compile(const std::vector<std::string>& command, const std::string& source) const;

  ScratchFolder folder_;
  std::string path_;
};

// The beginning of a command that makes a library of a file of properties.
std::vector<std::string> property_compiler(const std::string& source);
// The status of the command. What it says goes where the tool's own messages go.
int run_compiler_for_tool(const std::vector<std::string>& command);

}  // namespace ricercar::inline cli
