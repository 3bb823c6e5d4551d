// Function names for people: `BoundedQueue<int>::push`, `lambda in main`.
#pragma once

#include <string>

namespace ricercar::inline report {

// Takes a linkage name or a plain one.
std::string readable_function_name(const std::string& name);

// "std::vector<int, std::allocator<int> >" -> "std::vector<...>": long arguments say little.
std::string fold_template_arguments(const std::string& name);

}  // namespace ricercar::inline report
