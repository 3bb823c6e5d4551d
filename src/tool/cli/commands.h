// The sub-commands of `ricercar`, one file each. `add_...` declares a sub-command with its options;
// the one that is given runs while the command line is parsed, and stores its exit status in the
// invocation.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ricercar::inline cli {

inline constexpr int exit_ok = 0;
inline constexpr int exit_bug = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_internal = 3;
inline constexpr int exit_interrupted = 130;

// One use of the tool.
struct Invocation {
  int status = exit_ok;
  // `ricercar run -- PROGRAM ...`: nothing behind the dashes is ours.
  bool has_dashes = false;
  std::vector<std::string> behind_dashes;
};

void add_run(CLI::App& app, Invocation& invocation);
void add_worker(CLI::App& app, Invocation& invocation);
void add_pool(CLI::App& app, Invocation& invocation);
void add_record(CLI::App& app, Invocation& invocation);
void add_explore(CLI::App& app, Invocation& invocation);
void add_replay(CLI::App& app, Invocation& invocation);
void add_minimise(CLI::App& app, Invocation& invocation);
void add_show(CLI::App& app, Invocation& invocation);
// info, properties, coverage, shiviz
void add_path_commands(CLI::App& app, Invocation& invocation);
void add_hapset(CLI::App& app, Invocation& invocation);
void add_strategies(CLI::App& app, Invocation& invocation);
void add_init(CLI::App& app, Invocation& invocation);
void add_compilers(CLI::App& app);
void add_completion(CLI::App& app, Invocation& invocation);

// Throws UsageError for a shell that is not known.
std::string completion_script(const CLI::App& app, const std::string& shell);

// `ricercar c++` and `ricercar cc`: their arguments belong to the compiler, not to CLI11.
int run_compiler(bool is_cxx, std::vector<std::string> arguments);

}  // namespace ricercar::inline cli
