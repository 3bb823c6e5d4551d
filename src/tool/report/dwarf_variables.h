// Variables of a module: those with static storage by address, those of a function by frame.
// Not thread-safe (libdw).
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "report/dwarf_units.h"
#include "report/symbols.h"

namespace ricercar::inline report {

// The address of a variable with static storage, as it is in the file.
std::optional<std::uint64_t> static_address(Dwarf_Die& variable);

// Built at the first question, because it reads all debug information of the module.
class GlobalVariables {
 public:
  explicit GlobalVariables(Dwfl_Module* module) : module_(module) {}

  std::optional<Variable> find(std::uint64_t address);
  // The type of what the variable at the address points to.
  std::optional<Dwarf_Die> pointed_to(std::uint64_t address);

 private:
  struct Entry {
    std::string name;
    Dwarf_Die type;
    std::uint64_t size;
  };

  const std::pair<const std::uint64_t, Entry>* entry_at(std::uint64_t address);
  void build();
  void add_children(Dwarf_Die& parent, const std::string& scope, int depth);
  void add(Dwarf_Die& variable, const std::string& scope);
  std::optional<Variable> find_symbol(std::uint64_t address) const;

  Dwfl_Module* module_;
  Dwarf_Addr bias_ = 0;
  bool built_ = false;
  std::map<std::uint64_t, Entry> by_address_;
};

// See Symbols::local; `code_address` lies inside of the call, not behind it.
std::optional<Variable> find_local(Dwfl_Module* module, const CodePlace& place,
                                   std::uint64_t code_address, std::uint64_t frame_address,
                                   std::uint64_t address);

}  // namespace ricercar::inline report
