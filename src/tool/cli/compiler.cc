// `ricercar c++` and `ricercar cc`: drop-in compilers.
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/compiler_plan.h"
#include "cli/help.h"
#include "cli/kept_instrumentation.h"
#include "cli/property_library.h"
#include "cli/uninstrumented.h"

extern char** environ;

namespace ricercar::inline cli {
namespace {

namespace fs = std::filesystem;

// Where the other parts of Ricercar are, seen from the tool itself: in a build tree or after an
// installation.
struct InstallPaths {
  std::string library;  // folder of libricercar.so
  std::string include;  // folder of ricercar/ricercar.h
};

fs::path find_library_folder(const fs::path& prefix) {
  for (const char* folder : {"lib", RICERCAR_INSTALL_LIBDIR}) {
    if (fs::exists(prefix / folder / "libricercar.so")) return prefix / folder;
  }
  throw UsageError("libricercar.so is not in " + (prefix / "lib").string() +
                   "; build or install Ricercar completely");
}

fs::path find_include_folder(const fs::path& prefix) {
  if (fs::exists(prefix / "include/ricercar/ricercar.h")) return prefix / "include";
  return RICERCAR_SOURCE_INCLUDE;
}

// Throws UsageError if the runtime library is not where it should be.
InstallPaths find_install_paths() {
  const fs::path tool = fs::read_symlink("/proc/self/exe");
  const fs::path prefix = tool.parent_path().parent_path();
  return {find_library_folder(prefix), find_include_folder(prefix)};
}

std::string option_of(const WorldInfo& world) { return "--" + std::string(world.name); }

bool is_own_option(const std::string& argument) {
  return argument == "--clang" || argument == "--coverage" ||
         std::any_of(std::begin(all_worlds), std::end(all_worlds),
                     [&](const WorldInfo& world) { return argument == option_of(world); });
}

// Options of our own stand in front of the compiler's.
bool take(const std::string& option, std::vector<std::string>& arguments) {
  const std::size_t looked_at = std::min<std::size_t>(2, arguments.size());
  const auto end = arguments.begin() + static_cast<std::ptrdiff_t>(looked_at);
  const auto found = std::find(arguments.begin(), end, option);
  if (found == end) return false;
  if (found != arguments.begin() && !is_own_option(arguments[0])) return false;
  arguments.erase(found);
  return true;
}

WorldKind take_world(std::vector<std::string>& arguments) {
  for (const WorldInfo& world : all_worlds) {
    if (world.compiled == Compiled::as_it_is && take(option_of(world), arguments))
      return world.kind;
  }
  return WorldKind::threads;
}

std::string choose_compiler(bool is_cxx, bool takes_clang) {
  if (takes_clang) {
    return is_cxx ? "clang++" : "clang";
  }
  const char* wish = std::getenv(is_cxx ? "RICERCAR_CXX" : "RICERCAR_CC");
  if (wish != nullptr && *wish != '\0') return wish;
  return is_cxx ? "g++" : "gcc";
}

// Ctrl-C ends the compiler and not its parent, which has temporary files to remove.
int spawn(pid_t& child, char* const* arguments) {
  ::signal(SIGINT, SIG_IGN);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  return error;
}

int run_command(Command command) {
  std::vector<char*> pointers;
  for (std::string& word : command) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t child = -1;
  if (const int error = spawn(child, pointers.data())) {
    throw UsageError("cannot start the compiler '" + command[0] + "': " + std::strerror(error) +
                     "; choose another one with RICERCAR_CXX or RICERCAR_CC");
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Command arguments_for(const Toolchain& toolchain, const Command& given) {
  const Command arguments = expand_response_files(given);
  if (info(toolchain.world).compiled == Compiled::as_it_is) return arguments;  // nothing to keep
  const KeptInstrumentation kept = keep_instrumentation(arguments);
  for (const std::string& note : kept.notes) fmt::print(stderr, "ricercar: note: {}\n", note);
  return kept.arguments;
}

// What a command links; empty if it links nothing that is under control.
std::string linked_file(const Command& command) {
  const auto begin = command.begin();
  if (std::find(begin, command.end(), "-lricercar") == command.end()) return {};
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i] == "-o" && i + 1 < command.size()) return command[i + 1];
    if (command[i].starts_with("-o") && command[i].size() > 2) return command[i].substr(2);
  }
  return "a.out";
}

}  // namespace

int run_compiler(bool is_cxx, std::vector<std::string> arguments) {
  Toolchain toolchain;
  toolchain.is_cxx = is_cxx;
  if (is_cxx) toolchain.world = take_world(arguments);
  bool takes_coverage = take("--coverage", arguments);
  toolchain.compiler = choose_compiler(is_cxx, take("--clang", arguments));
  takes_coverage |= take("--coverage", arguments);
  toolchain.notes_blocks = takes_coverage;
  toolchain.is_clang =
      fs::path(toolchain.compiler).filename().string().find("clang") != std::string::npos;
  const InstallPaths paths = find_install_paths();
  toolchain.include_folder = paths.include;
  toolchain.library_folder = paths.library;
  toolchain.has_network = fs::exists(fs::path(paths.library) / "libricercar_network.a");
  const fs::path archive = fs::path(paths.library) / "libricercar_program.a";
  if (is_cxx && fs::exists(archive)) toolchain.program_archive = archive;
  const ScratchFolder scratch;
  toolchain.scratch_folder = scratch.path();
  for (const Command& command : plan_commands(toolchain, arguments_for(toolchain, arguments))) {
    if (const int status = run_command(command)) return status;
    if (const std::string file = linked_file(command); !file.empty()) warn_of_uninstrumented(file);
  }
  return exit_ok;
}

ScratchFolder::ScratchFolder() : path_((fs::temp_directory_path() / "ricercar-XXXXXX").string()) {
  if (::mkdtemp(path_.data()) == nullptr) {
    throw UsageError("cannot make a temporary folder '" + path_ + "': " + std::strerror(errno));
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

std::vector<std::string> property_compiler(const std::string& source) {
  const fs::path prefix = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  return {choose_compiler(true, false),
          "-std=c++20",
          "-O1",
          "-g",
          "-fPIC",
          "-shared",
          "-I" + find_include_folder(prefix).string(),
          source};
}

// Ctrl-C is ours again when the compiler has ended.
int run_compiler_for_tool(const std::vector<std::string>& command) {
  const auto on_interrupt = ::signal(SIGINT, SIG_DFL);
  const int status = run_command(command);
  ::signal(SIGINT, on_interrupt);
  return status;
}

static void add_front_flag(CLI::App& command, const std::string& name, const std::string& help) {
  command.add_flag(name, help);
}

void add_compilers(CLI::App& app) {
  // Declared for the help text and the completion; main gives their arguments to run_compiler.
  CLI::App* cxx =
      app.add_subcommand("c++", "Compile and link a C++ program under control (g++'s options)");
  add_front_flag(*cxx, "--clang", "In front of all others: clang++ takes the place of g++");
  add_front_flag(
      *cxx, "--coverage",
      "In front: note the basic blocks that nodes run through, for the strategy `coverage`");
  add_front_flag(
      *cxx, "--machines",
      "In front: a program of machines (ricercar/machine.h). It is not put under control, but "
      "linked with the library that searches it");
  set_help(
      *cxx, "ricercar c++ [--clang] [--coverage] [--machines] COMPILER-OPTIONS FILES",
      R"(Takes the place of g++, or of the compiler that RICERCAR_CXX names. Everything but its own options
goes to the compiler.

Examples:
  ricercar c++ -O1 queue_test.cc -o queue_test
  ricercar c++ --clang -std=c++20 -c queue.cc -o queue.o
  ricercar c++ --machines lock_server.cc -o lock_server
  cmake -S . -B build -DCMAKE_CXX_COMPILER="ricercar;c++"
  make CXX="ricercar c++" CC="ricercar cc"
)");
  CLI::App* cc =
      app.add_subcommand("cc", "Compile and link a C program under control (gcc's options)");
  add_front_flag(*cc, "--clang", "In front of all others: clang takes the place of gcc");
  add_front_flag(
      *cc, "--coverage",
      "In front: note the basic blocks that nodes run through, for the strategy `coverage`");
  set_help(
      *cc, "ricercar cc [--clang] [--coverage] COMPILER-OPTIONS FILES",
      R"(Takes the place of gcc, or of the compiler that RICERCAR_CC names. Everything but its own options
goes to the compiler.

Examples:
  ricercar cc -O1 queue_test.c -o queue_test
  make CC="ricercar cc"
)");
}

}  // namespace ricercar::inline cli
