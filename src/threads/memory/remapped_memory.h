// Large data of the program: replaced by private mappings whose pages, once written, are copies.
// Dropping the copies brings the old contents back, at a cost that grows with what was written.
#pragma once

#include <cstddef>

namespace ricercar {

// Whole pages. The contents stay as they are.
void remap_memory(char* start, std::size_t size);

// Brings back the contents of a range that was remapped.
void drop_written_pages(char* start, std::size_t size);

}  // namespace ricercar
