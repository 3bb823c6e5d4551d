// What a search is, so that it can go on later, or on another machine: names and values for people.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/control.h"

namespace ricercar::inline cli {

struct Program;
class Suppressions;

// What has to be the same for a search to go on. Limits may differ.
using Identity = std::vector<std::pair<std::string, std::string>>;
Identity identity_of(const Program& program, const Request& request,
                     const Suppressions& suppressions);

std::string to_json(const Identity& identity);
// What tells the search that was written down so from this one, as "its X is 'a', and not 'b'";
// empty: nothing.
std::string first_difference(const std::string& json, const Identity& identity);

}  // namespace ricercar::inline cli
