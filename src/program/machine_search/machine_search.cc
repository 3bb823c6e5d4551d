#include <algorithm>
#include <atomic>
#include <string_view>

#include "base/clock.h"
#include "base/text.h"
#include "machine_search/machines_world.h"
#include "search/decisions.h"
#include "search/search_loop.h"
#include "search/world_process.h"

namespace ricercar::inline machine_search {
namespace {

using machines::InitialSystem;

// One line for each act.
std::string lines_of(const KeptStory& story, const machines::World& world) {
  std::size_t width = 0;
  for (const RecordedAct& act : story.acts()) {
    width = std::max(width, world.name_of(act.machine).size());
  }
  std::string text;
  for (const RecordedAct& act : story.acts()) {
    const std::string name = world.name_of(act.machine);
    const std::string target = act.target == no_machine ? "" : world.name_of(act.target);
    text += name + std::string(width - name.size() + 2, ' ') + words_of(act, target) + "\n";
  }
  return text;
}

// A world that runs one schedule to its end.
struct ReplayedMachines {
  ReplayedMachines(Control& control, const InitialSystem& system)
      : watchdog(control.request.hang_seconds, [] {}), world(control, system, watchdog, is_over) {
    world.keep_story();
  }

  const std::atomic<bool> is_over = false;
  MachineWatchdog watchdog;
  MachinesWorld world;
};

}  // namespace

void search_machines(Control& control, const InitialSystem& system) {
  const std::string_view strategy = control.request.strategy;
  const bool keeps_the_graph = strategy.find("cycles=yes") != std::string_view::npos;
  if (system.has_hot_states && !keeps_the_graph) {
    copy_text(control.note,
              "a monitor has hot states: that one is not the last state is checked in every "
              "execution, but a cycle that stays in one is noticed only within one execution; "
              "ses and others end executions at states that they know, so also try ses:cycles=yes, "
              "random or pct");
  }
  // Handlers are told apart by addresses in the program, also by those who share a search.
  control.runtime_address = reinterpret_cast<std::uint64_t>(&search_machines);
  machines::install_crash_guard();
  const double start = now_seconds();
  SearchLoop search(control);
  {
    MachineWatchdog watchdog(control.request.hang_seconds, [&search] { search.keep_time(); });
    MachinesWorld world(control, system, watchdog, search.is_over());
    search.run(world);
  }
  control.seconds = now_seconds() - start;
  search.forget();
}

void replay_machines(Control& control, const InitialSystem& system) {
  machines::install_crash_guard();
  ReplayedMachines machines(control, system);
  replay(control, machines.world);
}

MachineStory tell_story(const FoundBug& bug, Control& control, const InitialSystem& system) {
  ReplayedMachines machines(control, system);
  ReplayStrategy decisions(bug.decisions, bug.checks);
  follow(machines.world, decisions);
  const KeptStory story = machines.world.story();
  std::string ending;
  for (const RecordedMachine& machine : story.machines()) ending += words_of(machine);
  return {lines_of(story, machines.world.machines()), ending};
}

}  // namespace ricercar::inline machine_search
