#include "threads/memory/machine_files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/system_call.h"

namespace ricercar::inline threads {
namespace {

constexpr std::string_view processor_folder = "/sys/devices/system/cpu/";

std::string read_all(const char* path) {
  std::string text;
  char block[4096];
  const long file = system_call(SYS_openat, AT_FDCWD, as_argument(path), O_RDONLY | O_CLOEXEC);
  for (long got = 1; file >= 0 && got > 0;) {
    got = system_call(SYS_read, file, as_argument(block), sizeof block);
    if (got > 0) text.append(block, static_cast<std::size_t>(got));
  }
  if (file >= 0) system_call(SYS_close, file);
  return text;
}

// What must not differ from processor to processor or from run to run. Empty: it may stay.
std::string fixed_value(std::string_view name, int number) {
  if (name == "processor" || name == "core id" || name == "apicid" || name == "initial apicid") {
    return std::to_string(number);
  }
  if (name == "siblings" || name == "cpu cores") return std::to_string(machine_processors);
  if (name == "physical id") return "0";
  if (name == "cpu MHz") return "1000.000";  // the time stamp counter counts nanoseconds
  return name == "bogomips" ? "2000.00" : "";
}

std::string with_fixed_value(std::string_view line, int number) {
  const std::string_view name = line.substr(0, line.find_first_of("\t:"));
  const std::string value = fixed_value(name, number);
  if (value.empty()) return std::string(line);
  return std::string(line.substr(0, line.find(':') + 1)) + " " + value;
}

std::string describe_processor(std::string_view first, int number) {
  std::string text;
  while (!first.empty()) {
    const std::size_t end = std::min(first.find('\n'), first.size() - 1);
    text += with_fixed_value(first.substr(0, end), number) + "\n";
    first.remove_prefix(end + 1);
  }
  return text + "\n";
}

// The first processor of the machine, several times.
std::string processor_list() {
  const std::string real = read_all("/proc/cpuinfo");
  const std::string first = real.substr(0, real.find("\n\n") + 1);
  std::string text;
  for (int i = 0; i < machine_processors; ++i) text += describe_processor(first, i);
  return text;
}

std::string statistics() {
  constexpr const char* counts = " 0 0 0 0 0 0 0 0 0 0\n";
  std::string text = std::string("cpu ") + counts;
  for (int i = 0; i < machine_processors; ++i) text += "cpu" + std::to_string(i) + counts;
  return text + "intr 0\nctxt 0\nbtime 1749999000\nprocesses 1\nprocs_running 1\nprocs_blocked 0\n";
}

std::string all_numbers() { return "0-" + std::to_string(machine_processors - 1) + "\n"; }

// Empty: another file.
std::string content_of(std::string_view path) {
  if (path == "/proc/cpuinfo") return processor_list();
  if (path == "/proc/stat") return statistics();
  if (!path.starts_with(processor_folder)) return "";
  const std::string_view name = path.substr(processor_folder.size());
  return name == "online" || name == "possible" || name == "present" ? all_numbers() : "";
}

}  // namespace

int open_machine_file(const char* path, int flags) {
  if (path == nullptr || path[0] != '/' || (flags & O_ACCMODE) != O_RDONLY) return -1;
  const std::string content = content_of(path);
  if (content.empty()) return -1;
  const long kept = (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0;
  const long file = system_call(SYS_memfd_create, as_argument("machine"), kept);
  if (file < 0) return -1;
  system_call(SYS_write, file, as_argument(content.data()), static_cast<long>(content.size()));
  system_call(SYS_lseek, file, 0, SEEK_SET);
  return static_cast<int>(file);
}

}  // namespace ricercar::inline threads
