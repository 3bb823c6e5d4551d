// Compilation units, functions and inlined calls by address. Not thread-safe (libdw).
//
// libdw has functions for this, but they miss what clang++ writes: there is no table of addresses,
// and functions are inside of their namespaces.
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ricercar::inline report {

struct CodePlace {
  Dwarf_Die unit;
  Dwarf_Addr pc = 0;  // the address in the file
  // The inlined calls around the address, innermost first, and at last the function itself.
  std::vector<Dwarf_Die> calls;
};

// Looks for separate debug information by build id on this machine only: the standard function
// would ask servers.
const Dwfl_Callbacks& local_debug_information();

// Deeper nesting than this is not a program but damaged debug information.
inline constexpr int dwarf_depth_limit = 64;

// Empty if it has none.
std::string name_of(Dwarf_Die& die);

// Names that only an implementation may use: what lies behind them is nobody's business.
bool is_reserved(const std::string& name);

// A structure or union, too.
bool is_class(Dwarf_Die& die);

// The declaration of a function that is inlined here, or of what is defined outside of its class.
Dwarf_Die declaration_of(Dwarf_Die die);

class Units {
 public:
  explicit Units(Dwfl_Module* module) : module_(module) {}

  // Empty if there is no debug information for the address.
  std::optional<CodePlace> find(std::uint64_t address);

 private:
  struct Range {
    std::uint64_t end;
    Dwarf_Die unit;
    Dwarf_Die function;
  };

  void build();
  void add_functions(Dwarf_Die& unit, Dwarf_Die& parent, int depth);
  void add(Dwarf_Die& unit, Dwarf_Die& function);

  Dwfl_Module* module_;
  Dwarf_Addr bias_ = 0;  // run-time address minus the address in the file
  bool built_ = false;
  std::map<std::uint64_t, Range> by_start_;  // addresses in the file
};

}  // namespace ricercar::inline report
