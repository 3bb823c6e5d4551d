// What a run has to say about code that is not instrumented, and about what is not modelled.
#pragma once

#include <string>
#include <vector>

#include "cli/session.h"
#include "report/summary.h"

namespace ricercar::inline cli {

// Adds it to the summary. A search of threads is not complete if there is such code: nobody knows
// what it does to the memory of the others.
void add_uninstrumented(RunSummary& summary, const Program& program, const SearchResult& result);

// The same for what the program does and the search leaves out.
void add_not_modelled(RunSummary& summary, const SearchResult& result);

// After linking: says on standard error which code of the file is not instrumented.
void warn_of_uninstrumented(const std::string& linked);

// `ricercar uninstrumented PROGRAM`, which the runtime asks at the end of ricercar::check: the list
// for a sentence, nothing if all of the code is instrumented.
int print_uninstrumented(const std::vector<std::string>& arguments);

}  // namespace ricercar::inline cli
