#include "cli/scratch_file.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "waiting-";
constexpr std::string_view extension = ".tmp";

// The process that a file belongs to; 0 if it is none of ours.
int owner_of(const fs::path& file) {
  const std::string name = file.filename();
  if (!name.starts_with(prefix) || !name.ends_with(extension)) return 0;
  int owner = 0;
  const char* end = name.data() + name.size() - extension.size();
  const auto result = std::from_chars(name.data() + prefix.size(), end, owner);
  return result.ec == std::errc() && result.ptr == end ? owner : 0;
}

bool is_alive(int process) { return kill(process, 0) == 0 || errno != ESRCH; }

}  // namespace

ScratchFile::ScratchFile(const std::string& folder) {
  path_ = fs::absolute(folder) / fmt::format("{}{}{}", prefix, getpid(), extension);
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    const int owner = owner_of(entry.path());
    if (owner == 0 || is_alive(owner)) continue;
    note_ = fmt::format(
        "an earlier search was killed before its end: the {} bytes of executions that waited in {} "
        "are lost; this search begins from the start",
        fs::file_size(entry.path(), error), entry.path().string());
    fs::remove(entry.path(), error);
  }
}

ScratchFile::~ScratchFile() {
  std::error_code error;
  fs::remove(path_, error);
}

}  // namespace ricercar::inline cli
