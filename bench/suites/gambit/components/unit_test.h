// What every unit test of this suite begins with: the choice of the planted bug by its name.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace gambit {

// A bug as the command line and bugs.txt spell it.
template <typename Bug>
struct NamedBug {
  const char* name;
  Bug bug;
};

// The bug that the only argument names; `fixed` is the program without any. Ends the program with
// status 2 if there is no such bug.
template <typename Bug>
Bug choose_bug(int argument_count, char** arguments, std::initializer_list<NamedBug<Bug>> bugs) {
  if (argument_count == 2) {
    if (std::strcmp(arguments[1], "fixed") == 0) return Bug::none;
    for (const NamedBug<Bug>& named : bugs) {
      if (std::strcmp(arguments[1], named.name) == 0) return named.bug;
    }
  }
  std::fprintf(stderr, "usage: %s fixed", arguments[0]);
  for (const NamedBug<Bug>& named : bugs) std::fprintf(stderr, "|%s", named.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace gambit
