// Names for addresses: functions, source lines, variables. An interface, so that reports can be
// tested without programs; `debug_symbols` is the real one. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/recording.h"
#include "report/place.h"

namespace ricercar::inline report {

enum class ValueKind {
  unknown,
  boolean,
  character,
  signed_integer,
  unsigned_integer,
  floating,
  pointer,
  enumeration,
};

// Which object of the standard library an address is inside of.
struct LibraryObject {
  std::string type;                // "vector<int, std::allocator<int> >"; empty: none
  std::uint64_t offset = 0;        // from its start to the address
  std::uint64_t element_size = 0;  // of its first template argument; 0: unknown
};

// A variable, or the part of one that begins at the address in question: `queue.mutex_`.
struct Variable {
  std::string name;
  std::uint64_t size = 0;  // of the part; 0: unknown
  ValueKind kind = ValueKind::unknown;
  // Somewhere inside of a type of the standard library: the value says nothing to a reader.
  bool is_internal = false;
  std::vector<std::pair<std::int64_t, std::string>> enumerators;
  LibraryObject library = {};  // where it is internal
};

// A part of a heap block: `part.name` is the path from the object on, ".next" or "[2].value".
struct HeapPart {
  std::string type;  // of the object, if it is a class
  Variable part;
};

// A data member of a class.
struct DataMember {
  std::string name;
  std::vector<std::pair<std::int64_t, std::string>> enumerators;  // if it is of an enumeration

  bool operator==(const DataMember&) const = default;
};

class Symbols {
 public:
  virtual ~Symbols() = default;

  // The calls at a return address, innermost first: more than one where calls were inlined.
  virtual std::vector<Frame> frames(std::uint64_t return_address) = 0;

  // The variable with static storage at an address.
  virtual std::optional<Variable> global(std::uint64_t address) = 0;

  // The local variable at `address` of the function that a return address is in. `frame_address`
  // is that frame's canonical frame address: the stack pointer before the call of the function.
  virtual std::optional<Variable> local(std::uint64_t return_address, std::uint64_t frame_address,
                                        std::uint64_t address) = 0;

  // What lies at `offset` in a heap block that was allocated by these calls (return addresses,
  // innermost first).
  virtual std::optional<HeapPart> heap_part(const std::vector<std::uint64_t>& allocation,
                                            std::uint64_t block_size, std::uint64_t offset) = 0;

  // The same by the type of the global pointer at `pointer` that points to the block.
  virtual std::optional<HeapPart> part_behind(std::uint64_t pointer, std::uint64_t block_size,
                                              std::uint64_t offset) = 0;

  // The data members of the program's class of that name, whatever scope it is in, without those of
  // its bases. Empty: there is none, or there are different ones.
  virtual std::vector<DataMember> fields(const std::string& type) = 0;

  // The text of the line, without white space around it; empty if it cannot be read or has changed
  // since the program was built.
  virtual std::string source_text(const Frame& frame) = 0;

  // False: the program was built without -g.
  virtual bool has_debug_information() = 0;
};

// `program`: the path of the executable, which a recording leaves empty.
std::unique_ptr<Symbols> debug_symbols(const Recording& recording, const std::string& program);

}  // namespace ricercar::inline report
