// From names to addresses: where the functions and variables are that a user names. Reads the debug
// information of the program file; the addresses are those in the file. Not thread-safe (libdw).
//
// A name is `push`, `Queue::push`, or `::push` for the one outside of all namespaces and classes.
// It stands for all functions of this name: overloads, instances of templates, inlined calls. A
// variable has static storage, or is a part of one: `queue.head_`, `Queue::head_`.
#pragma once

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

}  // namespace ricercar::inline report
