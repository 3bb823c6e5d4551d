// Explorers of the program's own in the machines world. Nothing has to be guarded there: the
// program is not under control but while its machines run.
#include <cstdio>
#include <cstdlib>

#include "ricercar/abi.h"
#include "ricercar/machine.h"
#include "strategy/delaying/own_explorers.h"

#define RICERCAR_EXPORT extern "C" __attribute__((visibility("default")))

RICERCAR_EXPORT void ricercar_register_explorer(const char* name,
                                                const ricercar_explorer_functions* functions) {
  const std::string objection = ricercar::register_own_explorer(name, *functions);
  if (objection.empty()) return;
  std::fprintf(stderr, "the program registers an explorer '%s', which is not possible: %s\n", name,
               objection.c_str());
  std::exit(2);
}

RICERCAR_EXPORT void ricercar_explorer_failed(const char* message) {
  ricercar::own_explorer_failed(message);
}

RICERCAR_EXPORT void ricercar_explorer_hint(std::uint64_t what, std::uint64_t value) {
  ricercar::detail::context().hint(what, value);
}
