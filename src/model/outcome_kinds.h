// Kinds of bugs by name, as options list them: "data-race,leak".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/outcome.h"

namespace ricercar::inline model {

// The names of all kinds of bugs: "assertion, crash, ...".
std::string kind_names();

std::optional<OutcomeKind> kind_by_name(std::string_view name);

constexpr std::uint32_t kind_bit(OutcomeKind kind) {
  return std::uint32_t{1} << static_cast<unsigned>(kind);
}

// Which kinds are not to fail a search, as bits. Both are lists of kinds: `fail_on` says which ones
// fail it (empty: all), `ignored` which ones do not. Throws UsageError for what is no kind, and if
// nothing is left that could fail.
std::uint32_t ignored_kinds(const std::string& fail_on, const std::string& ignored);

}  // namespace ricercar::inline model
