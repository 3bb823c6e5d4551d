#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string_view>

#include "report/elf_file.h"
#include "report/instrumentation.h"
#include "report/source_groups.h"

namespace ricercar::inline report {
namespace {

namespace fs = std::filesystem;

// Their calls are intercepted, and they are not what a user would suspect.
constexpr std::string_view known_libraries[] = {
    "libricercar", "libc.so",    "libm.so",      "libpthread.so", "ld-linux",
    "libdl.so",    "librt.so",   "libgcc_s.",    "libstdc++",     "libc++",
    "libatomic",   "linux-vdso", "libresolv.so", "libanl.so"};

bool is_known(const std::string& file) {
  return std::any_of(std::begin(known_libraries), std::end(known_libraries),
                     [&](std::string_view name) { return file.starts_with(name); });
}

bool is_instrumented(const std::string& path) {
  const ElfFile file(path);
  return !file.is_elf() || asks_for_instrumentation(file.get());
}

class LibrarySearch {
 public:
  explicit LibrarySearch(const Recording& recording) : recording_(recording) {}

  void add(const StackRef& stack) {
    recording_.for_each_frame(stack, [this](const RecordedFrame& frame) { add(frame.place); });
  }

  std::set<std::string> paths;

 private:
  void add(std::uint64_t address) {
    for (const RecordedModule& module : recording_.modules) {
      const bool is_in = address >= module.low && address < module.high;
      if (is_in && module.path[0] != '\0') paths.insert(module.path);
    }
  }

  const Recording& recording_;
};

// What the two tasks did from the first access on.
void add_events(const Recording& recording, LibrarySearch& search) {
  const RecordedOutcome& race = recording.outcome;
  bool is_between = false;
  for (const RecordedEvent& event : recording.events) {
    const bool is_first = event.step.task == race.other_task && event.step.site == race.other_site;
    is_between = is_between || is_first;
    const bool is_of_them = event.step.task == race.task || event.step.task == race.other_task;
    if (is_between && is_of_them) search.add(event.stack);
  }
}

}  // namespace

std::vector<std::string> unseen_libraries(const Recording& recording, const std::string& program) {
  LibrarySearch search(recording);
  search.add(recording.outcome.stack);
  search.add(recording.outcome.other_stack);
  add_events(recording, search);
  std::vector<std::string> result;
  for (const std::string& path : search.paths) {
    const std::string file = fs::path(path).filename();
    if (path != program && !is_known(file) && !is_instrumented(path)) result.push_back(file);
  }
  return result;
}

}  // namespace ricercar::inline report
