// Facts about the process that the runtime is in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline search {

std::string own_path();                    // of the executable
std::vector<std::string> own_arguments();  // without the program's name
std::string own_build_id();                // of the executable, in hexadecimal; empty: it has none
std::uint64_t own_load_address();          // of the executable: 0 if it is not relocated
std::string library_folder();              // where the runtime library is

}  // namespace ricercar::inline search
