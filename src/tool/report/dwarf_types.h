// Walks DWARF types: the member path to a place inside of an object, and what kind of value lies
// there. Not thread-safe (libdw).
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

#include "report/symbols.h"

namespace ricercar::inline report {

// The type of a variable or member with typedefs and qualifiers taken off.
std::optional<Dwarf_Die> type_of(Dwarf_Die& die);

std::uint64_t size_of(Dwarf_Die& type);  // 0: unknown

// The part of a variable of this type and name that lies `offset` bytes from its start:
// "table[3].next". Stops where the standard library's own members begin.
Variable part_of(const std::string& name, Dwarf_Die type, std::uint64_t offset);

// What the pointer points to that lies `offset` bytes from the start of a variable of this type;
// nothing if there is no pointer there, or one to nothing in particular.
std::optional<Dwarf_Die> pointed_to(Dwarf_Die type, std::uint64_t offset);

}  // namespace ricercar::inline report
