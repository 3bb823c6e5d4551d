// From the steps of a trace to statements: the place of a step in the source, and the places it was
// called from.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/flat_map.h"
#include "model/call_contexts.h"
#include "model/trace.h"
#include "strategy/hapset/predecessor_sets.h"

namespace ricercar::inline strategy {

// A place outside of the user's own code: it counts only where there is nothing else.
inline constexpr std::uint64_t foreign_place = 1;

// The places at each of some return addresses, in order: `ends[i]` is where those of the i-th one
// end. Innermost first; more than one where calls were inlined, and at least one.
struct Places {
  std::vector<std::uint64_t> places;
  std::vector<std::uint32_t> ends;
};

// Who knows the places: set by every process that runs a search (a strategy outlives it). Null: an
// address stands for itself.
extern Places (*find_places)(std::span<const std::uint64_t> addresses);

class Statements {
 public:
  using Statement = PredecessorSets::Statement;

  // With the last `calls` calls of the user's code; those of libraries in between do not count.
  explicit Statements(std::uint32_t calls) : contexts_(library_calls + 3 * calls), calls_(calls) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(contexts_, sets_, places_, known_);
  }

  CallContexts& contexts() { return contexts_; }
  PredecessorSets& sets() { return sets_; }
  const PredecessorSets& sets() const { return sets_; }

  Statement at(const Step& step, ContextId context);
  // Of all steps that have an effect: the places that are not known yet are found at once. Valid
  // until the next call.
  std::span<const Statement> of(Trace trace, std::span<const ContextId> contexts);

 private:
  static constexpr Statement unknown = ~Statement{0};
  static constexpr Statement no_statement = unknown - 1;

  Statement& known(const Step& step, ContextId context);
  void want(std::uint64_t address);
  void find_wanted();
  void add_users_places(std::uint64_t address, std::vector<std::uint64_t>& to) const;

  static constexpr std::uint32_t library_calls = 8;

  CallContexts contexts_;
  const std::uint32_t calls_;
  PredecessorSets sets_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> places_;  // by return address
  FlatMap<Statement> known_;                                              // by site and context
  std::vector<std::uint64_t> wanted_;
  std::vector<Statement> answer_;
};

}  // namespace ricercar::inline strategy
