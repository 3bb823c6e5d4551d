#include "report/dwarf_variables.h"

#include <dwarf.h>

#include <cstdlib>
#include <memory>

#include "report/dwarf_types.h"
#include "report/dwarf_units.h"
#include "report/function_name.h"

namespace ricercar::inline report {
namespace {

// Members of classes are known under the name of the class; namespaces are left out.
std::string scope_behind(Dwarf_Die& die, const std::string& scope) {
  const int tag = dwarf_tag(&die);
  if (tag == DW_TAG_structure_type || tag == DW_TAG_class_type) return name_of(die) + "::";
  return tag == DW_TAG_namespace ? "" : scope;
}

bool may_hold_variables(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
      return true;
    default:
      return false;
  }
}

// `static int Class::x` is declared inside of the class and defined outside.
std::string class_of_declaration(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Die declaration;
  if (dwarf_attr(&variable, DW_AT_specification, &attribute) == nullptr) return {};
  if (dwarf_formref_die(&attribute, &declaration) == nullptr) return {};
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  const std::unique_ptr<Dwarf_Die, decltype(&std::free)> owner(scopes, &std::free);
  return count > 1 ? scope_behind(scopes[1], "") : "";
}

// By how much the stack pointer lies below the canonical frame address at a place in the code.
std::optional<std::int64_t> stack_depth(Dwfl_Module* module, std::uint64_t code_address) {
  constexpr std::uint64_t stack_pointer = 7;
  Dwarf_Addr bias = 0;
  Dwarf_CFI* rules = dwfl_module_eh_cfi(module, &bias);
  Dwarf_Frame* frame = nullptr;
  if (rules == nullptr || dwarf_cfi_addrframe(rules, code_address - bias, &frame) != 0) {
    return std::nullopt;
  }
  const std::unique_ptr<Dwarf_Frame, decltype(&std::free)> owner(frame, &std::free);
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count != 1) return std::nullopt;
  const Dwarf_Op& rule = operations[0];
  if (rule.atom == DW_OP_bregx && rule.number == stack_pointer) {
    return static_cast<std::int64_t>(rule.number2);
  }
  if (rule.atom == DW_OP_breg7) return static_cast<std::int64_t>(rule.number);
  return std::nullopt;
}

// The frame base as an offset from the canonical frame address. g++ uses that address itself,
// clang++ the frame pointer, which is saved two words below it, or the stack pointer.
std::optional<std::int64_t> frame_base(Dwfl_Module* module, Dwarf_Die& function,
                                       std::uint64_t code_address, Dwarf_Addr pc) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr_integrate(&function, DW_AT_frame_base, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation_addr(&attribute, pc, &operations, &count, 1) != 1 || count != 1) {
    return std::nullopt;
  }
  constexpr std::int64_t saved_frame_pointer = -16;
  const auto offset = static_cast<std::int64_t>(operations[0].number);
  switch (operations[0].atom) {
    case DW_OP_call_frame_cfa:
      return 0;
    case DW_OP_reg6:
      return saved_frame_pointer;
    case DW_OP_breg6:
      return saved_frame_pointer + offset;
    case DW_OP_reg7:
    case DW_OP_breg7: {
      const std::optional<std::int64_t> depth = stack_depth(module, code_address);
      if (!depth) return std::nullopt;
      return -*depth + (operations[0].atom == DW_OP_breg7 ? offset : 0);
    }
    default:
      return std::nullopt;
  }
}

struct FrameQuestion {
  Dwarf_Addr pc;         // in the file
  std::uint64_t base;    // where the frame base is
  std::uint64_t wanted;  // the address that somebody asks about
};

std::optional<Variable> match(Dwarf_Die& variable, const FrameQuestion& question) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation_addr(&attribute, question.pc, &operations, &count, 1) != 1) {
    return std::nullopt;
  }
  if (count != 1 || operations[0].atom != DW_OP_fbreg) return std::nullopt;
  std::optional<Dwarf_Die> type = type_of(variable);
  if (!type) return std::nullopt;
  const std::uint64_t start = question.base + operations[0].number;
  if (question.wanted < start || question.wanted >= start + size_of(*type)) return std::nullopt;
  return part_of(name_of(variable), *type, question.wanted - start);
}

// Looks through blocks and inlined calls, wherever they are in the function: the variable may
// belong to a block that the function's present position is not in.
std::optional<Variable> match_children(Dwarf_Die& parent, const FrameQuestion& question,
                                       int depth) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&parent, &child) != 0) return std::nullopt;
  do {
    const int tag = dwarf_tag(&child);
    std::optional<Variable> found;
    if (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) found = match(child, question);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
      found = match_children(child, question, depth + 1);
    }
    if (found) return found;
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> static_address(Dwarf_Die& variable) {
  Dwarf_Attribute attribute;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  if (dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1) return std::nullopt;
  if (operations[0].atom == DW_OP_addr) return operations[0].number;
  if (operations[0].atom != DW_OP_addrx) return std::nullopt;
  Dwarf_Attribute resolved;
  Dwarf_Addr address = 0;
  if (dwarf_getlocation_attr(&attribute, &operations[0], &resolved) != 0) return std::nullopt;
  return dwarf_formaddr(&resolved, &address) == 0 ? std::optional<std::uint64_t>(address)
                                                  : std::nullopt;
}

void GlobalVariables::build() {
  built_ = true;
  Dwarf* dwarf = dwfl_module_getdwarf(module_, &bias_);
  if (dwarf == nullptr) return;
  Dwarf_CU* unit = nullptr;
  Dwarf_Die die;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
    add_children(die, "", 0);
  }
}

void GlobalVariables::add_children(Dwarf_Die& parent, const std::string& scope, int depth) {
  Dwarf_Die child;
  if (depth > dwarf_depth_limit || dwarf_child(&parent, &child) != 0) return;
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_variable) add(child, scope);
    if (may_hold_variables(tag)) add_children(child, scope_behind(child, scope), depth + 1);
  } while (dwarf_siblingof(&child, &child) == 0);
}

void GlobalVariables::add(Dwarf_Die& variable, const std::string& scope) {
  const std::optional<std::uint64_t> address = static_address(variable);
  if (!address) return;
  std::optional<Dwarf_Die> type = type_of(variable);
  if (!type) return;
  const std::string name = scope + class_of_declaration(variable) + name_of(variable);
  by_address_.try_emplace(*address + bias_, Entry{name, *type, size_of(*type)});
}

const std::pair<const std::uint64_t, GlobalVariables::Entry>* GlobalVariables::entry_at(
    std::uint64_t address) {
  if (!built_) build();
  const auto next = by_address_.upper_bound(address);
  if (next == by_address_.begin()) return nullptr;
  const auto& before = *std::prev(next);
  return address < before.first + before.second.size ? &before : nullptr;
}

std::optional<Variable> GlobalVariables::find(std::uint64_t address) {
  const auto* found = entry_at(address);
  if (found == nullptr) return find_symbol(address);
  return part_of(found->second.name, found->second.type, address - found->first);
}

std::optional<Dwarf_Die> GlobalVariables::pointed_to(std::uint64_t address) {
  const auto* found = entry_at(address);
  if (found == nullptr) return std::nullopt;
  return ricercar::pointed_to(found->second.type, address - found->first);
}

std::optional<Variable> GlobalVariables::find_symbol(std::uint64_t address) const {
  GElf_Sym symbol;
  GElf_Off offset = 0;
  const char* name =
      dwfl_module_addrinfo(module_, address, &offset, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || GELF_ST_TYPE(symbol.st_info) != STT_OBJECT) return std::nullopt;
  if (offset >= symbol.st_size) return std::nullopt;
  Variable variable;
  variable.name = readable_function_name(name);
  if (offset != 0) variable.name += "+" + std::to_string(offset);
  variable.size = symbol.st_size - offset;
  return variable;
}

std::optional<Variable> find_local(Dwfl_Module* module, const CodePlace& place,
                                   std::uint64_t code_address, std::uint64_t frame_address,
                                   std::uint64_t address) {
  Dwarf_Die function = place.calls.back();
  const std::optional<std::int64_t> base = frame_base(module, function, code_address, place.pc);
  if (!base) return std::nullopt;
  const FrameQuestion question{place.pc, frame_address + static_cast<std::uint64_t>(*base),
                               address};
  return match_children(function, question, 0);
}

}  // namespace ricercar::inline report
