#include "cli/learned_sets.h"

namespace ricercar {

void give_sets(Control&, const CoverageSets&) {}

std::optional<CoverageSets> take_sets(const Control&, const std::string&) { return std::nullopt; }

}  // namespace ricercar
