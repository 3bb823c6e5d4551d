// Walks DWARF types: the member path to a place inside of an object, and what kind of value lies
// there. Not thread-safe (libdw).
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/symbols.h"

namespace ricercar::inline report {

// The type of a variable or member with typedefs and qualifiers taken off.
std::optional<Dwarf_Die> type_of(Dwarf_Die& die);

std::uint64_t size_of(Dwarf_Die& type);  // 0: unknown

// The first type among the template arguments of a class or function.
std::optional<Dwarf_Die> template_argument(Dwarf_Die& die);

// Its own data members, without those of bases.
std::vector<DataMember> fields_of(Dwarf_Die type);

// The part of a variable of this type and name that lies `offset` bytes from its start:
// "table[3].next". Stops where the standard library's own members begin.
Variable part_of(const std::string& name, Dwarf_Die type, std::uint64_t offset);

// What the pointer points to that lies `offset` bytes from the start of a variable of this type;
// nothing if there is no pointer there, or one to nothing in particular.
std::optional<Dwarf_Die> pointed_to(Dwarf_Die type, std::uint64_t offset);

// The classes of a module by their names, without the standard library's. Built at the first
// question.
class Classes {
 public:
  explicit Classes(Dwfl_Module* module) : module_(module) {}

  // See Symbols::fields.
  std::vector<DataMember> find(const std::string& name);

 private:
  void build();
  void add_children(Dwarf_Die& parent, int depth);
  void add(Dwarf_Die& type);

  Dwfl_Module* module_;
  bool built_ = false;
  std::map<std::string, std::vector<DataMember>> by_name_;  // empty: there are different ones
};

}  // namespace ricercar::inline report
