// Text in arrays of a fixed size, for what crosses the border of a process.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace ricercar {

// As much of the text as fits.
template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = 0;
}

}  // namespace ricercar
