// What the loaded objects of the program import: whether it can call a function at all.
#pragma once

#include <initializer_list>

namespace ricercar::inline threads {

// Whether the program or a library of it, other than the runtime, imports any of these functions.
bool any_object_imports(std::initializer_list<const char*> names);

}  // namespace ricercar::inline threads
