// The report as JSON ("ricercar.bug/1": fields are added, never renamed).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "report/model.h"

namespace ricercar::inline report {

nlohmann::ordered_json json_of(const Report& report);

// JSON as text that people can read, too. Safe to call from any thread.
// Indented; but a list of numbers is one line, and within "details" so is everything that has
// nothing but simple values in it: a line for each number would hide everything else. Bytes that
// are no UTF-8 are replaced. Ends with a new line.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace ricercar::inline report
