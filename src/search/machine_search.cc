#include "search/machine_search.h"

#include "base/clock.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "model/step_hash.h"
#include "search/decisions.h"
#include "search/found_bugs.h"
#include "search/machines_world.h"
#include "search/search_loop.h"

namespace ricercar {
namespace {

using machines::InitialSystem;

// Numbers the lines and names who did what.
class LineTeller final : public machines::Story {
 public:
  explicit LineTeller(const machines::World& world) : world_(world) {}

  void tell(std::uint32_t machine, const std::string& what) override {
    entries_.emplace_back(world_.name_of(machine), what);
    width_ = std::max(width_, entries_.back().first.size());
  }

  std::string lines() const {
    std::string text;
    for (const auto& [name, what] : entries_) {
      text += name + std::string(width_ - name.size() + 2, ' ') + what + "\n";
    }
    return text;
  }

 private:
  const machines::World& world_;
  std::vector<std::pair<std::string, std::string>> entries_;
  std::size_t width_ = 0;
};

Array<char> shared_text(const std::string& text) {
  Array<char> result{search_allocate_array<char>(text.size()), text.size()};
  std::copy(text.begin(), text.end(), result.data);
  return result;
}

}  // namespace

void search_machines(Control& control, const InitialSystem& system) {
  if (system.has_hot_states) {
    copy_text(control.note,
              "a monitor has hot states: that one is not the last state is checked in every "
              "execution, but a cycle that stays in one is noticed only within one execution; "
              "ses and others end executions at states that they know, so also try random or pct");
  }
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
  control.status = Status::running;
  ReplayStrategy replay(control.request.decisions, control.request.checks);
  machines::World world(system, control.request.max_steps);
  const machines::SignalStack signal_stack;
  MachineWatchdog watchdog(control.request.hang_seconds, [] {});
  const MachineWatchdog::Watch watch(watchdog, world);
  LineTeller teller(world);
  world.tell(&teller);
  replay.begin();
  const Outcome& outcome = world.run(replay);
  replay.end(world.trace(), outcome);
  const SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = as_record(outcome);
  recording->divergence = replay.divergence();
  recording->divergence.found_count = 0;  // they have no names in the program
  recording->trace_hash = hash_of(world.trace());
  recording->steps = world.trace().size();
  recording->period = world.cycle();
  std::string ending;
  world.describe(ending);
  recording->story = shared_text(teller.lines());
  recording->ending = shared_text(ending);
  control.recording = recording;
  control.executions = 1;
  control.steps = world.trace().size();
  control.status = Status::finished;
}

MachineStory tell_story(const FoundBug& bug, const Request& request, const InitialSystem& system) {
  ReplayStrategy replay(bug.decisions, bug.checks);
  machines::World world(system, request.max_steps);
  const machines::SignalStack signal_stack;
  MachineWatchdog watchdog(request.hang_seconds, [] {});
  const MachineWatchdog::Watch watch(watchdog, world);
  LineTeller teller(world);
  world.tell(&teller);
  replay.begin();
  world.run(replay);
  MachineStory story;
  story.lines = teller.lines();
  world.describe(story.ending);
  return story;
}

}  // namespace ricercar
