// `hapset`: which of the searches that learn which statement follows which, and what it learns
// from.
#include "base/error.h"
#include "strategy/hapset/learning_runs.h"
#include "strategy/hapset/pruned_search.h"
#include "strategy/strategies.h"

namespace ricercar {
namespace {

std::unique_ptr<Strategy> make_search(const Parameters& parameters,
                                      const std::shared_ptr<Statements>& statements) {
  const std::string& base = parameters.text("base");
  if (base != "dpor" && base != "pb") {
    throw UsageError("there is no base '" + base + "' of hapset: base=dpor and base=pb are");
  }
  const std::uint64_t bound = parameters.number("bound");
  if (!parameters.flag("prune")) {
    const std::string space = base == "dpor" ? base : "pb=" + std::to_string(bound);
    return make_unpruned_hapset(parameters, space, statements);
  }
  const std::optional<std::uint64_t> preemptions =
      base == "pb" ? std::optional(bound) : std::nullopt;
  return make_pruned_search(statements, preemptions);
}

}  // namespace

std::unique_ptr<Strategy> make_hapset(const Parameters& parameters) {
  auto statements =
      std::make_shared<Statements>(static_cast<std::uint32_t>(parameters.number("context")));
  give(parameters.resources.learned, statements->sets());
  std::unique_ptr<Strategy> search = make_search(parameters, statements);
  const std::uint64_t runs = parameters.number("learn");
  if (runs == 0) return search;
  return learn_first(runs, parameters.seed, statements, std::move(search));
}

}  // namespace ricercar
