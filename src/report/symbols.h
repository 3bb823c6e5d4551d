// Names for addresses: functions, source lines, variables. An interface, so that reports can be
// tested without programs; `debug_symbols` is the real one. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/recording.h"

namespace ricercar {

struct Frame {
  std::string function;  // demangled, without parameters; empty: unknown
  std::string file;      // relative to the working folder if it is below it; empty: unknown
  unsigned line = 0;
  std::string module;  // the file name of the program or library
};

class Symbols {
 public:
  virtual ~Symbols() = default;

  // The calls at a return address, innermost first: more than one where calls were inlined.
  virtual std::vector<Frame> frames(std::uint64_t return_address) = 0;
};

std::unique_ptr<Symbols> debug_symbols(const Recording& recording);

}  // namespace ricercar
