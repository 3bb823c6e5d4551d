// Where a failed assertion stands. The call behind `assert` does not always tell: compilers make
// one call of several that never return, and give it a line of their own choice. The assertion
// itself knows its file, its line and its function, and the runtime puts them into the message.
#pragma once

#include <string>
#include <vector>

#include "report/symbols.h"

namespace ricercar::inline report {

// `message`: "assertion `x == 1' failed in int f() (a.cc:12)". Lets the innermost call of the
// user's in that file be there; leaves the calls alone if the message does not say where.
void put_assertion_in_place(const std::string& message, std::vector<Frame>& calls);

}  // namespace ricercar::inline report
