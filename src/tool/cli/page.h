// The page of a recorded schedule: its report with all that there is to know of each step. Not
// thread-safe.
#pragma once

#include <string>

#include "report/model.h"

namespace ricercar::inline cli {

// ricercar-out/bug-1.json -> ricercar-out/bug-1.html
std::string beside(const std::string& schedule, const std::string& ending);

// ricercar-out/bug-1.json -> pages/bug-1.html
std::string page_in(const std::string& folder, const std::string& schedule);

// Replays it, and what is beside it: the execution that passes (bug-1-passing.json) and the one
// that the search had found (bug-1-original.json). Throws UsageError if it cannot be replayed.
Report report_for_page(const std::string& schedule, bool full);

// Writes the page of a schedule, and says so on `stream` unless that is null.
void write_page(const std::string& schedule, const std::string& page, bool full, std::FILE* stream);

}  // namespace ricercar::inline cli
