// What `ricercar run` writes for programs: the summary as JSON, and as those who gather results
// want it.
#pragma once

#include "cli/run_options.h"
#include "report/summary.h"

namespace ricercar::inline cli {

// False: a file could not be written, which it says. A bug that was found counts all the same.
// Annotations go to `people`.
bool write_run_files(const RunOptions& options, const RunSummary& summary, std::FILE* people);

}  // namespace ricercar::inline cli
