#include "report/executable.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <memory>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "model/worlds.h"
#include "report/elf_file.h"

extern char** environ;

namespace ricercar::inline report {
namespace {

// What the dynamic loader would load, as it prints it: one "name => path" or "name => not found"
// on a line. Needed where a library of the program brings the runtime in.
std::string loader_list(const std::string& loader, const std::string& path) {
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 1);
  posix_spawn_file_actions_adddup2(&actions, pipe[1], 2);
  std::string list_option = "--list";
  std::string program = path;
  std::string name = loader;
  char* arguments[] = {name.data(), list_option.data(), program.data(), nullptr};
  pid_t child = -1;
  const int error = posix_spawn(&child, loader.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(pipe[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; error == 0 && (got = ::read(pipe[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(pipe[0]);
  if (error == 0) ::waitpid(child, nullptr, 0);
  return text;
}

void require_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    throw UsageError(fmt::format("there is no program '{}': {}", path, std::strerror(errno)));
  }
  if (S_ISDIR(status.st_mode)) throw UsageError(fmt::format("'{}' is a folder", path));
  if (!S_ISREG(status.st_mode)) throw UsageError(fmt::format("'{}' is not a file", path));
  if (::access(path.c_str(), X_OK) != 0) {
    throw UsageError(
        fmt::format("'{0}' is not executable; if it is a program: chmod +x {0}", path));
  }
  if ((status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    throw UsageError(fmt::format(
        "'{}' is a setuid or setgid program, and the kernel does not let anybody control those; "
        "copy it without these bits",
        path));
  }
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

[[noreturn]] void refuse_foreign_file(const std::string& path) {
  const std::string line = first_line(path);
  if (line.starts_with("#!")) {
    throw UsageError(fmt::format(
        "'{}' is a script (for {}); give the program that it starts, compiled with `ricercar c++`",
        path, line.substr(2, 100)));
  }
  throw UsageError(fmt::format("'{}' is not a program for this machine", path));
}

[[noreturn]] void refuse_uncontrolled(const std::string& path) {
  throw UsageError(
      fmt::format("'{}' was not compiled under control; compile and link it with\n"
                  "  ricercar c++ -g program.cc -o program      (ricercar cc for C)\n"
                  "or, in CMake, target_link_libraries(target PRIVATE Ricercar::controlled)",
                  path));
}

// The library of a world is among these names of libraries.
bool has_runtime(const std::string& libraries) {
  return std::any_of(std::begin(all_worlds), std::end(all_worlds), [&](const WorldInfo& world) {
    return libraries.find(fmt::format("lib{}.so", world.library)) != std::string::npos;
  });
}

void require_runtime(const std::string& path, const ElfFile& file) {
  for (const std::string& library : file.needed()) {
    if (has_runtime(library)) return;
  }
  if (!has_runtime(loader_list(file.interpreter(), path))) refuse_uncontrolled(path);
}

std::string hash_of_content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return {};
  std::uint64_t hash = 0;
  for (std::uint64_t word = 0;
       file.read(reinterpret_cast<char*>(&word), sizeof word) || file.gcount(); word = 0) {
    hash = mix64(hash ^ word);
  }
  return fmt::format("content:{:016x}", hash);
}

}  // namespace

void require_controlled(const std::string& path) {
  require_file(path);
  const ElfFile file(path);
  if (!file.is_elf()) refuse_foreign_file(path);
  const GElf_Ehdr header = file.header();
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
    throw UsageError(
        fmt::format("'{}' is not a 64-bit x86 program; compile it without -m32", path));
  }
  if (header.e_type != ET_EXEC && header.e_type != ET_DYN) {
    throw UsageError(fmt::format("'{}' is an object file, not a program; link it first", path));
  }
  if (file.segments(PT_INTERP).empty()) {
    throw UsageError(fmt::format(
        "'{}' is linked statically (or is a library), so its threads cannot be controlled; link it "
        "with `ricercar c++` and without -static",
        path));
  }
  require_runtime(path, file);
}

std::string loader_complaint(const std::string& path) {
  const ElfFile file(path);
  if (!file.is_elf()) return {};
  std::istringstream lines(loader_list(file.interpreter(), path));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("not found") != std::string::npos || line.find("error") != std::string::npos) {
      return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    }
  }
  return {};
}

WorldKind world_of(const std::string& path) {
  const ElfFile file(path);
  const std::vector<std::string> needed = file.needed();
  for (const WorldInfo& world : all_worlds) {
    const std::string library = fmt::format("lib{}.so", world.library);
    for (const std::string& each : needed) {
      if (each.starts_with(library)) return world.kind;
    }
  }
  return WorldKind::threads;
}

std::vector<std::string> libraries_of(const std::string& path) {
  const ElfFile file(path);
  if (!file.is_elf()) return {};
  std::vector<std::string> result;
  std::istringstream lines(loader_list(file.interpreter(), path));
  for (std::string line; std::getline(lines, line);) {
    // "\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f0000000000)"
    const std::size_t arrow = line.find(" => ");
    const std::size_t end = line.rfind(" (0x");
    if (arrow == std::string::npos || end == std::string::npos || end < arrow + 4) continue;
    result.push_back(line.substr(arrow + 4, end - arrow - 4));
  }
  return result;
}

std::string build_id_of(const std::string& path) {
  const ElfFile file(path);
  if (!file.is_elf()) return hash_of_content(path);
  const void* bytes = nullptr;
  const ssize_t size = dwelf_elf_gnu_build_id(file.get(), &bytes);
  if (size <= 0) return hash_of_content(path);
  std::string text;
  for (ssize_t i = 0; i < size; ++i) {
    text += fmt::format("{:02x}", static_cast<const unsigned char*>(bytes)[i]);
  }
  return text;
}

}  // namespace ricercar::inline report
