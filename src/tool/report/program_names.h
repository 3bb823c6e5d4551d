// From names to addresses: where the functions and variables are that a user names. Reads the debug
// information of the program file; the addresses are those in the file. Not thread-safe (libdw).
//
// A name is `push`, `Queue::push`, or `::push` for the one outside of all namespaces and classes.
// It stands for all functions of this name: overloads, instances of templates, inlined calls. A
// variable has static storage, or is a part of one: `queue.head_`, `Queue::head_`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/address_range.h"

namespace ricercar::inline report {

// Both throw UsageError if the program has no debug information, and with the nearest names if it
// has no such function or variable. The result is in ascending order and does not overlap.
std::vector<AddressRange> function_ranges(const std::string& program,
                                          const std::vector<std::string>& names);
std::vector<AddressRange> variable_ranges(const std::string& program,
                                          const std::vector<std::string>& names);

// A variable that is one value: an integer, an enumeration, a pointer, floating point, a bool, or a
// class that has nothing but one in it, as std::atomic.
struct ProgramVariable {
  enum Kind : std::uint8_t { signed_integer, unsigned_integer, boolean, number };

  std::uint64_t address = 0;  // in the file
  std::uint64_t size = 0;     // in bytes, at most 8
  Kind kind = signed_integer;
};

// Throws UsageError as the functions above; and if there are several of that name, or it is another
// kind of variable.
ProgramVariable program_variable(const std::string& program, const std::string& name);

}  // namespace ricercar::inline report
