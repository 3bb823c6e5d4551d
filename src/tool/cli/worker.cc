// `ricercar worker`: take part in a search that is in a pool.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/pooled_search.h"
#include "cli/session.h"
#include "pool/pool_pieces.h"

namespace ricercar::inline cli {
namespace {

struct WorkerOptions {
  std::uint32_t jobs = 1;
  double wait_seconds = 60;
  std::string nodes;  // a cluster file, instead of a program
  bool quiet = false;
};

void add_options(CLI::App& command, WorkerOptions& options) {
  command.add_option("-j,--jobs", options.jobs, "How many processes search")
      ->type_name("N")
      ->check(number_validator(1))
      ->capture_default_str();
  command
      .add_option("--wait", options.wait_seconds, "How long to wait for a search to take part in")
      ->type_name("SECONDS")
      ->check(duration_validator())
      ->capture_default_str();
  command.add_option("--nodes", options.nodes, "A cluster, instead of a program")
      ->type_name("FILE");
  command.add_flag("-q,--quiet", options.quiet, "Say nothing at the end");
}

Program program_of(const WorkerOptions& options, const std::vector<std::string>& command) {
  if (command.empty() == options.nodes.empty()) {
    throw UsageError(
        "name the pool and the program: ricercar worker redis://HOST:PORT/NAME ./program, or "
        "--nodes cluster.toml instead of the program");
  }
  if (!options.nodes.empty()) return find_cluster(options.nodes);
  return find_program(command.front(), {std::next(command.begin()), command.end()});
}

constexpr useconds_t between_looks_us = 200'000;

// As await_search, until then, on one connection.
std::optional<PoolFacts> look_for_search(RedisPool& pool, const PoolAddress& address,
                                         const WorkerOptions& options, double until,
                                         std::string& end_of_search) {
  for (;;) {
    PoolFacts facts = pool.facts();
    if (!facts.empty()) return facts;
    if (now_seconds() > until) {
      end_of_search = pool.end();
      if (!end_of_search.empty()) return std::nullopt;
      throw UsageError(
          fmt::format("there is no search in the pool at {}, and none has come within {} seconds: "
                      "ricercar run --pool {} ./program puts one there",
                      address.text, options.wait_seconds, address.text));
    }
    ::usleep(between_looks_us);
  }
}

// A worker may be there before its search is, and Redis may start again meanwhile. None: nobody is
// wanted any more, as `end_of_search` says.
std::optional<PoolFacts> await_search(const PoolAddress& address, const WorkerOptions& options,
                                      std::string& end_of_search) {
  const double until = now_seconds() + options.wait_seconds;
  bool was_there = false;
  for (;;) {
    try {
      RedisPool pool(address);
      was_there = true;
      return look_for_search(pool, address, options, until, end_of_search);
    } catch (const ConnectionLost&) {
      // Says that there is none, unless it has come meanwhile.
      if (!was_there || now_seconds() > until) connect_to_pool(address);
    }
    ::usleep(between_looks_us);
  }
}

int work(const PoolAddress& address, const WorkerOptions& options,
         const std::vector<std::string>& command) {
  const Program program = program_of(options, command);
  std::string end;
  const std::optional<PoolFacts> facts = await_search(address, options, end);
  if (!facts) {
    if (!options.quiet) fmt::print("there is no search to take part in: {}\n", end);
    return exit_ok;
  }
  const PooledSearch pooled = pooled_search_from(*facts, address.text);
  require_same_search(*facts, program, pooled.request, pooled.suppressions, address.text);
  const ProgramInput input(STDIN_FILENO);
  Search search(program, pooled.request, input, nullptr, pooled.suppressions);
  WorkerLink link(address, pooled.number, options.jobs);
  const Worked worked = search.work(link, options.jobs);
  if (!options.quiet) {
    fmt::print("{}: {} pieces, {} executions were searched here\n",
               link.is_over() ? "the search is over" : "the search goes on without this worker",
               worked.pieces, worked.executions);
  }
  if (worked.supervised.ending != Ending::done) throw UsageError(worked.supervised.message);
  return worked.supervised.interrupted ? exit_interrupted : exit_ok;
}

}  // namespace

void add_worker(CLI::App& app, Invocation& invocation) {
  auto options = std::make_shared<WorkerOptions>();
  CLI::App* command =
      app.add_subcommand("worker", "Take part in a search that `ricercar run --pool` has begun");
  add_options(*command, *options);
  command->prefix_command();
  set_help(*command, "ricercar worker [OPTIONS] POOL [--] PROGRAM [ARGUMENTS]",
           R"(POOL is redis://HOST:PORT/NAME, rediss://HOST:PORT/NAME (encrypted) or
redis+unix:///SOCKET?name=NAME. A password is taken from the environment,
REDISCLI_AUTH, or from the file that RICERCAR_POOL_PASSWORD_FILE names. Of files
for rediss:// these name those that are needed: RICERCAR_POOL_CA_FILE (who may say
who Redis is), RICERCAR_POOL_CERT_FILE and RICERCAR_POOL_KEY_FILE (who we are).

Only the program that is named here is run, and only if it is the same build as
that of the search. Workers may come and go at any time.

Exit status: 0 the search is over, 2 a usage error, 130 interrupted.

Examples:
  ricercar run --pool redis://farm:6379/queue ./queue_test       begin
  ricercar worker redis://farm:6379/queue --jobs 8 ./queue_test  take part
  ricercar worker redis://farm:6379/queue --nodes cluster.toml   with nodes
)");
  command->callback([command, options, &invocation] {
    std::vector<std::string> words = command->remaining();
    words.insert(words.end(), invocation.behind_dashes.begin(), invocation.behind_dashes.end());
    if (words.empty()) {
      program_of({}, {});  // throws: says what is missing
      return;
    }
    const PoolAddress address = parse_pool_address(words.front());
    words.erase(words.begin());
    // Options may stand behind the pool, too.
    CLI::App behind;
    behind.prefix_command();
    add_options(behind, *options);
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    behind.parse(words);
    invocation.status = work(address, *options, behind.remaining());
  });
}

}  // namespace ricercar::inline cli
