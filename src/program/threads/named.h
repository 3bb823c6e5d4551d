// Which tasks are inside of a function that the search was told of (priority method=...): every
// step that such a task does, there or in what it calls, is marked with step_named.
//
// The compiler announces when a function is entered and left, but not for inlined calls. Their
// addresses are known as well: what they call says that it was called from there, and what they do
// themselves is told by its site.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// `site` is an address in the function, `caller` one in the code that called it.
void enter_function(std::uint64_t site, std::uint64_t caller);
void leave_function();

}  // namespace ricercar::inline threads
