// The tool `ricercar`: finds the sub-command and turns errors into messages and exit statuses.
#include <fmt/format.h>

#include <exception>
#include <string_view>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"

namespace ricercar {
namespace {

int say_usage_error(const std::string& message) {
  fmt::print(stderr, "ricercar: {}\n", message);
  return exit_usage;
}

int run_with_options(int argc, char** argv) {
  int status = exit_ok;
  CLI::App app("Ricercar searches the schedules of concurrent C and C++ programs for bugs.");
  app.set_version_flag("--version", "ricercar " RICERCAR_VERSION);
  set_help(app, "ricercar COMMAND [OPTIONS]",
           R"(Examples:
  ricercar c++ -g queue_test.cc -o queue_test    compile under control
  ricercar run ./queue_test                      search for bugs
  ricercar replay ricercar-out/bug-1.json        run a found bug again
  ricercar replay --gdb ricercar-out/bug-1.json  look at it in the debugger
`ricercar COMMAND --help` says more about a command.
)");
  app.require_subcommand(1);
  add_run(app, status);
  add_replay(app, status);
  add_show(app, status);
  add_strategies(app, status);
  add_compilers(app);
  try {
    app.parse(argc, argv);
    return status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return say_usage_error(explain_parse_error(app, error));
  }
}

int run(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  const bool asks_for_help = argc == 3 && std::string_view(argv[2]) == "--help";
  if ((command == "c++" || command == "cc") && !asks_for_help) {
    return run_compiler(command == "c++", {argv + 2, argv + argc});
  }
  if (argc == 1) {
    char help[] = "--help";
    char* arguments[] = {argv[0], help, nullptr};
    run_with_options(2, arguments);
    return exit_usage;
  }
  return run_with_options(argc, argv);
}

}  // namespace
}  // namespace ricercar

int main(int argc, char** argv) {
  try {
    return ricercar::run(argc, argv);
  } catch (const ricercar::UsageError& error) {
    return ricercar::say_usage_error(error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr,
               "[ricercar internal bug] {}\nThis is a fault of Ricercar, not of your program. "
               "Please report it with the command line that led here.\n",
               error.what());
    return ricercar::exit_internal;
  }
}
