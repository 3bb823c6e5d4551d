#include "cli/app.h"

#include <algorithm>

#include "cli/commands.h"
#include "cli/help.h"

namespace ricercar::inline cli {

std::unique_ptr<CLI::App> make_app(Invocation& invocation) {
  auto app = std::make_unique<CLI::App>(
      "Ricercar searches the schedules of concurrent C and C++ programs for bugs.", "ricercar");
  app->set_version_flag("--version", "ricercar " RICERCAR_VERSION);
  set_help(*app, "ricercar COMMAND [OPTIONS]",
           R"(Examples:
  ricercar c++ -g queue_test.cc -o queue_test    compile under control
  ricercar run ./queue_test                      search for bugs
  ricercar replay ricercar-out/bug-1.json        run a found bug again
  ricercar replay --gdb ricercar-out/bug-1.json  look at it in the debugger

`ricercar help COMMAND` says more about a command.
)");
  app->require_subcommand(1);
  add_run(*app, invocation);
  add_worker(*app, invocation);
  add_pool(*app, invocation);
  add_record(*app, invocation);
  add_explore(*app, invocation);
  add_replay(*app, invocation);
  add_minimise(*app, invocation);
  add_show(*app, invocation);
  add_path_commands(*app, invocation);
  add_hapset(*app, invocation);
  add_strategies(*app, invocation);
  add_init(*app, invocation);
  add_compilers(*app);
  add_completion(*app, invocation);
  return app;
}

void parse_and_run(CLI::App& app, Invocation& invocation, std::vector<std::string> arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  constexpr std::string_view with_program[] = {"run", "worker", "explore"};
  const bool has_program =
      !arguments.empty() &&
      std::count(std::begin(with_program), std::end(with_program), arguments[0]) > 0;
  if (has_program && dashes != arguments.end()) {
    invocation.has_dashes = true;
    invocation.behind_dashes.assign(dashes + 1, arguments.end());
    arguments.erase(dashes, arguments.end());
  }
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 wants them
  app.parse(arguments);
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& command) {
  std::vector<const CLI::Option*> options = command.get_options();
  for (const CLI::App* nested : commands_of(command)) {
    for (const CLI::Option* option : options_of(*nested)) {
      const auto has_same_name = [&](const CLI::Option* other) {
        return other->get_name() == option->get_name();
      };
      if (std::none_of(options.begin(), options.end(), has_same_name)) options.push_back(option);
    }
  }
  return options;
}

}  // namespace ricercar::inline cli
