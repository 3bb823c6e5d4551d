#include "cli/property_library.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files.h"

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_source = std::size_t{16} << 20;
constexpr auto kept_for = std::chrono::hours(24 * 14);

// Empty: there is no place for it.
fs::path cache_folder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  if (cache != nullptr && *cache != '\0') return fs::path(cache) / "ricercar";
  return home == nullptr || *home == '\0' ? fs::path() : fs::path(home) / ".cache/ricercar";
}

bool make_usable(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  return !folder.empty() && fs::is_directory(folder, error);
}

// By what is in the file, and by how it is compiled.
std::string name_of_library(const std::vector<std::string>& command, const std::string& source) {
  std::string all = read_file(source, longest_source);
  for (const std::string& word : command) all += '\0' + word;
  return fmt::format("properties-{:016x}.so", std::hash<std::string>{}(all));
}

// What the compiler wrote for make: "library: file file", with a backslash before a new line.
std::vector<fs::path> files_in(const fs::path& dependencies) {
  std::ifstream file(dependencies);
  std::vector<fs::path> files;
  for (std::string word; file >> word;) {
    if (word != "\\" && !word.ends_with(":")) files.emplace_back(word);
  }
  return files;
}

bool is_current(const fs::path& library) {
  std::error_code error;
  const auto made = fs::last_write_time(library, error);
  const std::vector<fs::path> files = files_in(library.string() + ".d");
  if (error || files.empty()) return false;
  for (const fs::path& each : files) {
    if (fs::last_write_time(each, error) > made || error) return false;
  }
  return true;
}

void remove_old(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const auto age = fs::file_time_type::clock::now() - entry.last_write_time(ignored);
    if (age > kept_for) fs::remove(entry.path(), ignored);
  }
}

}  // namespace

PropertyLibrary::PropertyLibrary(const std::string& source) {
  const std::vector<std::string> command = property_compiler(source);
  const fs::path cache = cache_folder();
  const bool is_kept = make_usable(cache);
  path_ = (is_kept ? cache : fs::path(folder_.path())) / name_of_library(command, source);
  if (is_current(path_)) return;
  if (is_kept) remove_old(cache);
  compile(command, source);
}

// Somebody else may compile the same: each file appears at once.
void PropertyLibrary::compile(const std::vector<std::string>& command,
                              const std::string& source) const {
  const std::string made = fmt::format("{}.{}", path_, ::getpid());
  std::vector<std::string> whole = command;
  whole.insert(whole.end(), {"-MMD", "-MT", "library", "-MF", made + ".d", "-o", made});
  const int status = run_compiler_for_tool(whole);
  std::error_code error;
  if (status == 0) {
    fs::rename(made + ".d", path_ + ".d", error);
    if (!error) fs::rename(made, path_, error);
  }
  if (status == 0 && !error) return;
  fs::remove(made, error);
  fs::remove(made + ".d", error);
  throw UsageError("the properties in '" + source +
                   "' do not compile: see what the compiler says above");
}

}  // namespace ricercar::inline cli
