// What must hold for the number that the server keeps.
#include <ricercar/properties.h>

using ricercar::State;

const auto counted = ricercar::always("every change counts", [](const State& state) {
  return state.integer("server", "number") == state.integer("server", "changes");
});
