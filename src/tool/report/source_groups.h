// Which source files a linked file was made of, from its symbol table. Not thread-safe (libelf).
//
// Each object leaves a symbol with the name of its source file, followed by its local symbols. An
// object that was compiled under control has a constructor among them, whatever else is in it: it
// calls __tsan_init. So this is exact without any debug information, for programs and libraries
// that were linked in any way; it is lost only when the symbols are stripped.
#pragma once

#include <gelf.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ricercar::inline report {

struct SourceGroup {
  std::string name;  // without folders
  bool is_instrumented = false;
  bool is_outside = false;     // says of itself that it is not under test: <ricercar/outside.h>
  bool is_linkers = false;     // what the linker and the start files bring along
  bool is_optimised = false;   // made by link-time optimisation from several files
  bool has_functions = false;  // local ones
};

struct FunctionSymbol {
  std::string name;
  std::uint64_t address;
  std::uint64_t size;
  bool is_global = true;  // and not weak: no other file can have it too
};

struct SourceGroups {
  bool are_known = false;  // there is a symbol table
  std::vector<SourceGroup> groups;
  std::vector<FunctionSymbol> functions;  // whose group is unknown: global and hidden ones
};

SourceGroups source_groups(Elf* file);

// Whether the dynamic symbols ask for the instrumentation's functions.
bool asks_for_instrumentation(Elf* file);

// Atomic instructions in the inline assembly of instrumented files (inline_assembly.cc). The
// compiler's own atomics are calls there, so whatever has a lock prefix, or exchanges with memory,
// was written by hand, and the search does not see it. Other inline assembly cannot be told from
// compiled code.
// "queue.c:34", a few of them at most. `files` are the names of the instrumented files, without
// folders. Needs debug information, which says where their code is.
std::vector<std::string> atomic_assembly(Elf* file, const std::set<std::string>& files);

}  // namespace ricercar::inline report
