// `ricercar pool`: look after the searches that are in a Redis.
#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "pool/pool.h"

namespace ricercar::inline cli {
namespace {

template <typename Work>
void with_redis(const PoolAddress& address, Work work) {
  try {
    work();
  } catch (const ConnectionLost& error) {
    throw UsageError(fmt::format("there is no Redis at {}: {}", address.text, error.what()));
  } catch (const RedisError& error) {
    throw UsageError(fmt::format("the pool at {} says: {}", address.text, error.what()));
  }
}

std::string at(const PoolFacts& facts, const std::string& name, const char* otherwise) {
  const auto fact = facts.find(name);
  return fact == facts.end() || fact->second.empty() ? otherwise : fact->second;
}

void list(const std::string& text) {
  PoolAddress address = parse_pool_address(text, PoolName::optional);
  with_redis(address, [&] {
    Connection redis(address);
    const std::vector<std::string> names = names_of_pools(redis);
    if (names.empty()) fmt::print("there is no search at {}\n", text);
    for (const std::string& name : names) {
      address.name = name;
      RedisPool pool(address);
      const PoolFacts facts = pool.facts();
      fmt::print("{:<20} {} executions, {} processes, {}  ({})\n", name,
                 at(facts, "executions", "0"), pool.processes(), at(facts, "strategy", "?"),
                 at(facts, "program", "?"));
    }
  });
}

PoolFacts facts_at(RedisPool& pool, const PoolAddress& address) {
  PoolFacts facts = pool.facts();
  if (!facts.empty()) return facts;
  throw UsageError(fmt::format("there is no search in the pool at {}", address.text));
}

void show(const std::string& text) {
  const PoolAddress address = parse_pool_address(text);
  with_redis(address, [&] {
    RedisPool pool(address);
    const PoolFacts facts = facts_at(pool, address);
    const bool is_led = pool.is_led();
    fmt::print("program     {}\n", at(facts, "program", "?"));
    fmt::print("strategy    {}\n", at(facts, "strategy", "?"));
    fmt::print("executions  {}\n", at(facts, "executions", "0"));
    fmt::print("seconds     {:.0f}\n", std::atof(at(facts, "seconds", "0").c_str()));
    fmt::print("led by      {}\n", is_led ? at(facts, "leader", "?")
                                          : "nobody: the command that began it goes on with it");
    fmt::print("processes   {}\n", pool.processes());
    fmt::print("items       {}\n", pool.length(pool.keys().items));
    fmt::print("results     {}\n", pool.results());
    fmt::print("bytes       {}\n", pool.bytes());
  });
}

void stop(const std::string& text) {
  const PoolAddress address = parse_pool_address(text);
  with_redis(address, [&] {
    RedisPool pool(address);
    facts_at(pool, address);
    if (!pool.is_led()) {
      throw UsageError(fmt::format(
          "nobody leads the search in the pool at {}, so it goes on nowhere: `ricercar run --pool` "
          "goes on with it, `ricercar pool remove` takes it out",
          text));
    }
    pool.redis().ask({"HSET", pool.keys().search, "stop", "1"});
    fmt::print("the search ends, and whoever leads it says what it has found\n");
  });
}

void remove(const std::string& text) {
  const PoolAddress address = parse_pool_address(text);
  with_redis(address, [&] {
    RedisPool pool(address);
    facts_at(pool, address);
    if (pool.is_led()) {
      throw UsageError(fmt::format(
          "somebody leads the search in the pool at {}: ricercar pool stop {}", text, text));
    }
    pool.remove();
    fmt::print("removed\n");
  });
}

}  // namespace

void add_pool(CLI::App& app, Invocation&) {
  CLI::App* command = app.add_subcommand("pool", "Look after searches that are in a pool");
  set_help(
      *command, "ricercar pool COMMAND POOL",
      R"(POOL is redis://HOST:PORT/NAME or redis+unix:///SOCKET?name=NAME; for `list` there need
not be a name.

Examples:
  ricercar pool list redis://farm:6379
  ricercar pool show redis://farm:6379/queue
)");
  command->require_subcommand(1);
  struct Command {
    const char* name;
    const char* help;
    void (*work)(const std::string&);
  };
  for (const Command& each :
       {Command{"list", "The searches that are there", list},
        Command{"show", "How one of them goes", show},
        Command{"stop", "End one: whoever leads it says what it has found", stop},
        Command{"remove", "Take one out that nobody leads, with all that it has found", remove}}) {
    CLI::App* one = command->add_subcommand(each.name, each.help);
    auto address = std::make_shared<std::string>();
    one->add_option("POOL", *address, "Where it is")->required();
    one->callback([address, work = each.work] { work(*address); });
  }
}

}  // namespace ricercar::inline cli
