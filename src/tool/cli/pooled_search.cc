#include "cli/pooled_search.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "cli/identity.h"
#include "cli/program.h"

namespace ricercar::inline cli {
namespace {

// Of what is in a pool, whatever part of it.
constexpr const char* pool_format = "1";

// What of a request is asked for by the user, and not found out by whoever searches.
struct Asked {
  SearchOptions options;
  std::uint32_t ignored_kinds;
  bool count_traces;
};

std::string request_bytes(const Request& request) {
  Asked asked = {request, request.ignored_kinds, request.count_traces};
  asked.options.max_seconds = 0;  // the leader's affair
  return {reinterpret_cast<const char*>(&asked), sizeof asked};
}

std::string text_at(const PoolFacts& facts, const std::string& name) {
  const auto fact = facts.find(name);
  return fact == facts.end() ? "" : fact->second;
}

Identity identity_in_pool(const Program& program, const Request& request,
                          const Suppressions& suppressions) {
  Identity identity = identity_of(program, request, suppressions);
  identity.emplace_back("limit of executions", std::to_string(request.max_executions));
  return identity;
}

std::string words_of(const Program& program) {
  std::string words = std::filesystem::path(program.path).filename();
  for (const std::string& argument : program.arguments) words += " " + argument;
  return words;
}

}  // namespace

PoolFacts facts_of_search(const Program& program, const Request& request,
                          const Suppressions& suppressions) {
  std::string lines;
  for (const Suppression& each : suppressions.all()) lines += each.text + "\n";
  return {{"format", pool_format},
          {"version", RICERCAR_VERSION},
          {"program", words_of(program)},
          {"strategy", std::string(request.strategy)},
          {"identity", to_json(identity_in_pool(program, request, suppressions))},
          {"request", request_bytes(request)},
          {"suppressions", lines}};
}

PooledSearch pooled_search_from(const PoolFacts& facts, const std::string& address) {
  const std::string bytes = text_at(facts, "request");
  const bool is_ours = text_at(facts, "format") == pool_format &&
                       text_at(facts, "version") == RICERCAR_VERSION &&
                       bytes.size() == sizeof(Asked);
  if (!is_ours) {
    throw UsageError(
        fmt::format("the pool at {} holds a search of another version of Ricercar: {} there, and "
                    "{} here",
                    address, text_at(facts, "version"), RICERCAR_VERSION));
  }
  Asked asked = {};
  std::memcpy(static_cast<void*>(&asked), bytes.data(), sizeof asked);
  PooledSearch search;
  search.number = text_at(facts, "number");
  static_cast<SearchOptions&>(search.request) = asked.options;
  search.request.ignored_kinds = asked.ignored_kinds;
  search.request.count_traces = asked.count_traces;
  search.suppressions = Suppressions::parse(address, text_at(facts, "suppressions"));
  return search;
}

void require_same_search(const PoolFacts& there, const Program& program, const Request& request,
                         const Suppressions& suppressions, const std::string& address) {
  const std::string difference = first_difference(text_at(there, "identity"),
                                                  identity_in_pool(program, request, suppressions));
  if (difference.empty()) return;
  throw UsageError(fmt::format("the pool at {} holds another search: {}", address, difference));
}

}  // namespace ricercar::inline cli
