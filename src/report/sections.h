// The parts of a report around the trace; each is a block of lines, or empty if there is nothing to
// say.
#pragma once

#include <string>

#include "report/names.h"
#include "report/style.h"

namespace ricercar {

struct SectionOptions {
  std::size_t width = 100;
  bool full = false;
  Painter painter{false};
};

std::string threads_section(Names& names, const SectionOptions& options);
std::string waiting_section(Names& names, const SectionOptions& options);   // deadlocks
std::string accesses_section(Names& names, const SectionOptions& options);  // races
// Code that is not instrumented, and what to do if it orders the accesses.
std::string unseen_section(const std::vector<std::string>& libraries,
                           const std::vector<std::string>& files, const SectionOptions& options);

std::string memory_section(Names& names, const SectionOptions& options);  // use after free
std::string stack_section(Names& names, const SectionOptions& options);   // everything else
std::string blocks_section(Names& names, const SectionOptions& options);
std::string files_section(Names& names, const SectionOptions& options);
std::string output_section(const std::string& output, bool is_cut, const SectionOptions& options);

}  // namespace ricercar
