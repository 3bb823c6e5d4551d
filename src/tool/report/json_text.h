// JSON as text that people can read, too. Safe to call from any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ricercar::inline report {

// Indented; but a list of numbers is one line, and within "details" so is everything that has
// nothing but simple values in it: a line for each number would hide everything else. Bytes that
// are no UTF-8 are replaced. Ends with a new line.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ricercar::inline report
