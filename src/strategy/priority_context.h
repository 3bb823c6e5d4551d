// What priority functions are made from, besides their names.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>

#include "model/address_range.h"

namespace ricercar::inline strategy {

class PriorityFunction;
class Statements;  // see strategy/hapset/statements.h

// A priority function that the program under test has registered.
struct OwnPriority {
  std::string name;
  std::function<std::unique_ptr<PriorityFunction>()> make;
};

// Only read while functions are made.
struct PriorityContext {
  // What `method` and `var` name, in the address space of the program.
  std::span<const AddressRange> functions = {};
  std::span<const AddressRange> variables = {};
  std::span<const OwnPriority> own = {};
  // What `hapset` looks at; nullptr: it makes its own.
  std::shared_ptr<Statements> statements = nullptr;
  // The program has not been started: the specification is only checked, and a name that does not
  // exist may be the program's own.
  bool is_check = false;
};

}  // namespace ricercar::inline strategy
