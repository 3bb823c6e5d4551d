// The sub-commands of `ricercar`, one file each. `add_...` declares a sub-command with its options;
// the answer of the one that is given is stored in `status`, the exit status of the tool.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ricercar {

inline constexpr int exit_ok = 0;
inline constexpr int exit_bug = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_internal = 3;
inline constexpr int exit_interrupted = 130;

void add_run(CLI::App& app, int& status);
void add_replay(CLI::App& app, int& status);
void add_show(CLI::App& app, int& status);
void add_strategies(CLI::App& app, int& status);
void add_compilers(CLI::App& app);
void add_completion(CLI::App& app, int& status);

// `ricercar c++` and `ricercar cc`: their arguments belong to the compiler, not to CLI11.
int run_compiler(bool is_cxx, std::vector<std::string> arguments);

}  // namespace ricercar
