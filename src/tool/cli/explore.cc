// `ricercar explore`: the page of an execution, live.
#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/exploration.h"
#include "cli/help.h"
#include "cli/live_server.h"
#include "report/executable.h"
#include "report/html.h"

namespace ricercar::inline cli {
namespace {

struct ExploreOptions : ScheduleOptions {
  std::string out = "ricercar-out";
  std::uint16_t port = 0;
};

using Json = nlohmann::ordered_json;

HttpAnswer json_answer(const Json& json) {
  return {200, "application/json", json.dump(-1, ' ', true, Json::error_handler_t::replace)};
}

class Explorer {
 public:
  Explorer(Exploration& exploration, const LiveGate& gate)
      : exploration_(exploration), gate_(gate) {}

  HttpAnswer answer(const HttpRequest& request) {
    try {
      if (request.method == "GET" && request.path == "/") return page();
      if (request.method == "POST") return act(request.path, Json::parse(request.body));
    } catch (const UsageError& error) {
      return {400, "text/plain; charset=utf-8", error.what()};
    } catch (const Json::exception&) {
      return {400, "text/plain; charset=utf-8", "this is not what the page sends"};
    }
    return {404, "text/plain; charset=utf-8", "there is nothing here"};
  }

 private:
  HttpAnswer page() {
    return {200, "text/html; charset=utf-8", page_with(exploration_.page(gate_.token()), "'self'")};
  }

  HttpAnswer act(const std::string& path, const Json& asked) {
    if (path == "/decide") {
      exploration_.decide(asked.at("number"), asked.at("option"));
      return json_answer({{"is_changed", true}});
    }
    if (path == "/back") return json_answer({{"is_changed", exploration_.back()}});
    if (path == "/search") {
      const std::string said = exploration_.search(asked.at("number"), asked.at("strategy"));
      return json_answer({{"is_changed", said.starts_with("found")}, {"said", said}});
    }
    if (path == "/save") {
      return json_answer({{"is_changed", false}, {"said", "written: " + exploration_.save()}});
    }
    return {404, "text/plain; charset=utf-8", "there is nothing here"};
  }

  Exploration& exploration_;
  const LiveGate& gate_;
};

void refuse_nodes(const Program& program) {
  if (!program.is_cluster()) return;
  throw UsageError(
      fmt::format("'{}' is a cluster of nodes: only programs with threads or machines can be "
                  "explored. A bug of "
                  "a cluster can be looked at step by step: ricercar show --html FILE",
                  program.typed));
}

[[noreturn]] void explore(const ExploreOptions& options, std::vector<std::string> command) {
  if (command.empty()) throw UsageError("name the program: ricercar explore ./program");
  const Program program =
      find_program(command.front(), {std::next(command.begin()), command.end()});
  refuse_nodes(program);
  Exploration exploration(program, options, options.out);
  LiveServer server(options.port);
  Explorer explorer(exploration, server.gate());
  fmt::print(
      "ricercar: open {}\nOnly this machine can, and only with this token. Ctrl-C ends it.\n",
      server.gate().address());
  std::fflush(stdout);
  server.serve([&](const HttpRequest& request) { return explorer.answer(request); });
}

}  // namespace

void add_explore(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<ExploreOptions>();
  auto points = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("explore", "Decide the schedule of a program by hand");
  command->add_option("--points", *points, "Where threads can be switched: sync, atomic or memory")
      ->check(CLI::IsMember({"sync", "atomic", "memory"}))
      ->default_str("atomic")
      ->type_name("POINTS");
  command->add_option("--port", options->port, "Listen on this port; 0: on one that is free")
      ->capture_default_str()
      ->type_name("N");
  command->add_option("-o,--out", options->out, "Where to save schedules")
      ->capture_default_str()
      ->type_name("DIR");
  command->prefix_command();
  set_help(
      *command, "ricercar explore [OPTIONS] [--] PROGRAM [ARGUMENTS]",
      R"(Runs the program once and serves its page on 127.0.0.1, for who knows the address that it prints:
pick another option at each choice point, go back, or let a strategy search from there.

Examples:
  ricercar explore ./queue_test
  ricercar explore --points memory ./queue_test --items 3
  ricercar explore ./lock_server                                  machines
)");
  command->callback([command, options, points, &invocation] {
    std::vector<std::string> program = command->remaining();
    program.insert(program.end(), invocation.behind_dashes.begin(), invocation.behind_dashes.end());
    if (!program.empty() && program[0].starts_with("-")) {
      throw UsageError(fmt::format("`ricercar explore` has no option '{}'{}", program[0],
                                   suggest_option(*command, program[0])));
    }
    options->points = *points == "sync"     ? Points::sync
                      : *points == "memory" ? Points::memory
                                            : Points::atomic;
    explore(*options, std::move(program));
  });
}

}  // namespace ricercar::inline cli
