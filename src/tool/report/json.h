// The report as JSON ("ricercar.bug/1": fields are added, never renamed).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/model.h"

namespace ricercar::inline report {

nlohmann::ordered_json json_of(const Report& report);

}  // namespace ricercar::inline report
