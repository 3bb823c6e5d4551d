// What kind of object a heap block holds, told by the calls that allocated it: an allocator, a
// make_unique or make_shared, or a new-expression. Not thread-safe (libdw).
#pragma once

#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string>

#include "report/dwarf_units.h"
#include "report/symbols.h"

namespace ricercar::inline report {

struct HeapType {
  Dwarf_Die type;
  std::uint64_t offset = 0;  // where the object begins in the block
  std::string node = {};     // it is the value in a node of a container: which; or empty
  std::string name = {};     // what the source calls a type without a name of its own
};

// The type that a library function among `place.calls` allocates memory for.
std::optional<HeapType> type_allocated_at(const CodePlace& place);

// The class that a line such as `head = new Node(1);` or `head = malloc(sizeof(struct node));`
// makes, looked up in the unit of the line.
std::optional<HeapType> type_named_in(const CodePlace& place, const std::string& source);

// The part of a block that lies at `offset`; nothing if the type does not fit the block.
std::optional<HeapPart> part_of_block(HeapType type, std::uint64_t block_size,
                                      std::uint64_t offset);

}  // namespace ricercar::inline report
