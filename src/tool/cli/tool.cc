// The tool `ricercar`: finds the sub-command and turns errors into messages and exit statuses.
#include <fmt/format.h>

#include <exception>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/uninstrumented.h"
#include "nodes/coordinator.h"

namespace ricercar::inline cli {
namespace {

int say_usage_error(const std::string& message) {
  fmt::print(stderr, "ricercar: {}\n", message);
  return exit_usage;
}

int run_with_options(int argc, char** argv) {
  Invocation invocation;
  const std::unique_ptr<CLI::App> app = make_app(invocation);
  if (argc == 1) {
    fmt::print(stderr, "{}", app->help());
    return exit_usage;
  }
  try {
    parse_and_run(*app, invocation, {argv + 1, argv + argc});
    return invocation.status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app->exit(error);  // --help, --version
    return say_usage_error(explain_parse_error(*app, error));
  }
}

// "ricercar help run" is "ricercar run --help".
int help_with(int argc, char** argv) {
  char asks[] = "--help";
  std::vector<char*> words = {argv[0]};
  words.insert(words.end(), argv + 2, argv + argc);
  words.push_back(asks);
  const int count = static_cast<int>(words.size());
  words.push_back(nullptr);
  return run_with_options(count, words.data());
}

int run_command(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "help") return help_with(argc, argv);
  const bool asks_for_help = argc == 3 && std::string_view(argv[2]) == "--help";
  if ((command == "c++" || command == "cc") && !asks_for_help) {
    return run_compiler(command == "c++", {argv + 2, argv + argc});
  }
  if (command == "uninstrumented") return print_uninstrumented({argv + 2, argv + argc});
  if (command == coordinator_command && argc >= 5) {
    return coordinate(argv[2], argv[3], argv[4], {argv + 5, argv + argc});
  }
  return run_with_options(argc, argv);
}

}  // namespace

// Called by main.cc.
int run_tool(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const UsageError& error) {
    return say_usage_error(error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "[ricercar internal error] {}\nThis is a fault in Ricercar, not in your program. "
               "Please report it with the command line that led here.\n",
               error.what());
    return exit_internal;
  }
}

}  // namespace ricercar::inline cli
