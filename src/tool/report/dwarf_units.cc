#include "report/dwarf_units.h"

#include <dwarf.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>

namespace ricercar::inline report {
namespace {

bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_union_type:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
      return true;
    default:
      return false;
  }
}

// Adds the inlined calls below `parent` that contain the address, outermost first.
void add_inlined_calls(Dwarf_Die& parent, Dwarf_Addr pc, int depth, std::vector<Dwarf_Die>& calls) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_lexical_block) continue;
    // A block without addresses of its own, as some optimisations leave it, may hold others.
    const bool is_around = dwarf_haspc(&child, pc) == 1;
    if (!is_around && tag == DW_TAG_inlined_subroutine) continue;
    if (tag == DW_TAG_inlined_subroutine) calls.push_back(child);
    add_inlined_calls(child, pc, depth + 1, calls);
    if (is_around) return;
  } while (dwarf_siblingof(&child, &child) == 0);
}

char* no_search_path = nullptr;

}  // namespace

std::string name_of(Dwarf_Die& die) {
  const char* name = dwarf_diename(&die);
  return name == nullptr ? "" : name;
}

bool is_class(Dwarf_Die& die) {
  const int tag = dwarf_tag(&die);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool is_reserved(const std::string& name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])));
}

const Dwfl_Callbacks& local_debug_information() {
  static const Dwfl_Callbacks callbacks = {
      .find_elf = dwfl_build_id_find_elf,
      .find_debuginfo = dwfl_build_id_find_debuginfo,
      .section_address = dwfl_offline_section_address,
      .debuginfo_path = &no_search_path,
  };
  return callbacks;
}

Dwarf_Die declaration_of(Dwarf_Die die) {
  for (const unsigned name : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, name, &attribute) == nullptr) continue;
    if (dwarf_formref_die(&attribute, &next) != nullptr) die = next;
  }
  return die;
}

void Units::build() {
  built_ = true;
  Dwarf* dwarf = dwfl_module_getdwarf(module_, &bias_);
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    add_functions(die, die, 0);
  }
}

void Units::add_functions(Dwarf_Die& unit, Dwarf_Die& parent, int depth) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_subprogram) add(unit, child);
    if (may_hold_functions(tag)) add_functions(unit, child, depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void Units::add(Dwarf_Die& unit, Dwarf_Die& function) {
  Dwarf_Addr base = 0;
  Dwarf_Addr start = 0;
  Dwarf_Addr end = 0;
  for (std::ptrdiff_t offset = 0;
       (offset = dwarf_ranges(&function, offset, &base, &start, &end)) > 0;) {
    // Functions that the linker threw away begin at 0.
    if (start != 0 && end > start) by_start_.try_emplace(start, Range{end, unit, function});
  }
}

std::optional<CodePlace> Units::find(std::uint64_t address) {
  if (!built_) build();
  const Dwarf_Addr pc = address - bias_;
  const auto next = by_start_.upper_bound(pc);
  if (next == by_start_.begin()) return std::nullopt;
  Range range = std::prev(next)->second;
  if (pc >= range.end) return std::nullopt;
  CodePlace place{range.unit, pc, {range.function}};
  add_inlined_calls(range.function, pc, 0, place.calls);
  std::reverse(place.calls.begin(), place.calls.end());
  return place;
}

}  // namespace ricercar::inline report
