// The report of a bug of machines: they name themselves, so no symbols are needed.
#pragma once

#include <string>

#include "report/text.h"

namespace ricercar {

inline bool is_about_machines(const Recording& recording) { return recording.story.size != 0; }

std::string machine_headline(const ReportInput& input);
std::string machine_report(const ReportInput& input, const TextOptions& options);

}  // namespace ricercar
