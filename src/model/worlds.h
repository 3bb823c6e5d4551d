// The one table of worlds (search/world.h is what they have in common). Whoever treats one in
// another way than the others asks a column of it, never its name. Plain data.
#pragma once

#include <cstdint>
#include <string_view>

namespace ricercar::inline model {

// Whether its programs have to be compiled under control, so that their accesses are seen.
enum class Compiled : std::uint8_t { under_control, as_it_is };
// How a replay tells what happened: by addresses, for which the debug information has names, or by
// acts in the world's own words (machine_story.h).
enum class Told : std::uint8_t { by_address, in_own_words };
// What the limit of steps means: an execution that comes to it says nothing, or it is a depth,
// because executions may go on for ever.
enum class StepLimit : std::uint8_t { gives_up, is_depth };

// X(name, a task of it, the library that its programs are linked with, compiled, told, step limit).
// `ricercar c++ --NAME` compiles for a world whose programs are not under control.
#define RICERCAR_WORLDS(X)                                                      \
  X(threads, "thread", "ricercar", under_control, by_address, gives_up)         \
  X(machines, "machine", "ricercar_machines", as_it_is, in_own_words, is_depth) \
  X(nodes, "node", "ricercar", under_control, in_own_words, is_depth)

enum class WorldKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(name, ...) name,
  RICERCAR_WORLDS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

struct WorldInfo {
  WorldKind kind;
  std::string_view name;
  std::string_view task;
  std::string_view library;
  Compiled compiled;
  Told told;
  StepLimit step_limit;
};

inline constexpr WorldInfo all_worlds[] = {
#define RICERCAR_ROW(name, task, library, compiled, told, step_limit) \
  {WorldKind::name, #name, task, library, Compiled::compiled, Told::told, StepLimit::step_limit},
    RICERCAR_WORLDS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

constexpr const WorldInfo& info(WorldKind kind) {
  return all_worlds[static_cast<std::uint8_t>(kind)];
}

}  // namespace ricercar::inline model
