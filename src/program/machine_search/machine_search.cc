#include "machine_search/machine_search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>

#include "base/clock.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "machine_search/machines_world.h"
#include "model/step_hash.h"
#include "search/decisions.h"
#include "search/found_bugs.h"
#include "search/search_loop.h"

namespace ricercar::inline machine_search {
namespace {

using machines::InitialSystem;

// Keeps what happened in an execution, and what every machine was at its end.
class StoryKeeper final : public machines::Story {
 public:
  void tell(const RecordedAct& act) override {
    acts_.push_back(act);
    keep(acts_.back().event);
    keep(acts_.back().state);
  }

  void look_at_end(const machines::World& world) {
    world.show_ending([this](const RecordedMachine& machine) {
      machines_.push_back(machine);
      for (const char** text : texts_of(machines_.back())) keep(*text);
    });
  }

  // For the tool.
  void copy_to(Recording& recording) const {
    recording.acts = shared_array(acts_);
    for (RecordedAct& act : recording.acts) {
      act.event = shared_text(act.event);
      act.state = shared_text(act.state);
    }
    recording.machines = shared_array(machines_);
    for (RecordedMachine& machine : recording.machines) {
      for (const char** text : texts_of(machine)) *text = shared_text(*text);
    }
  }

  // One line for each act.
  std::string lines(const machines::World& world) const {
    std::size_t width = 0;
    for (const RecordedAct& act : acts_) {
      width = std::max(width, world.name_of(act.machine).size());
    }
    std::string text;
    for (const RecordedAct& act : acts_) {
      const std::string name = world.name_of(act.machine);
      const std::string target = act.target == no_machine ? "" : world.name_of(act.target);
      text += name + std::string(width - name.size() + 2, ' ') + words_of(act, target) + "\n";
    }
    return text;
  }

  std::string ending() const {
    std::string text;
    for (const RecordedMachine& machine : machines_) text += words_of(machine);
    return text;
  }

 private:
  static std::array<const char**, 4> texts_of(RecordedMachine& machine) {
    return {&machine.name, &machine.state, &machine.variables, &machine.waiting};
  }

  void keep(const char*& text) { text = texts_.emplace_back(text).c_str(); }

  static const char* shared_text(const char* text) {
    const std::size_t size = std::strlen(text) + 1;
    return std::copy_n(text, size, search_allocate_array<char>(size)) - size;
  }

  template <typename T>
  static Array<T> shared_array(const std::vector<T>& from) {
    Array<T> result{search_allocate_array<T>(from.size()), from.size()};
    std::copy(from.begin(), from.end(), result.data);
    return result;
  }

  std::vector<RecordedAct> acts_;
  std::vector<RecordedMachine> machines_;
  std::deque<std::string> texts_;
};

// Runs a schedule once, to its end.
class MachineReplay {
 public:
  // `schedule` has the decisions.
  MachineReplay(const auto& schedule, const Request& request, const InitialSystem& system)
      : strategy_(schedule.decisions, schedule.checks),
        world_(system, request.max_steps),
        watchdog_(request.hang_seconds, [] {}),
        watch_(watchdog_, world_) {
    world_.tell(&story_);
    strategy_.begin();
    const Outcome& outcome = world_.run(strategy_);
    strategy_.end(world_.trace(), outcome);
    story_.look_at_end(world_);
  }

  const machines::World& world() const { return world_; }
  const StoryKeeper& story() const { return story_; }
  const RecordedDivergence& divergence() const { return strategy_.divergence(); }

 private:
  StoryKeeper story_;
  ReplayStrategy strategy_;
  machines::World world_;
  machines::SignalStack signal_stack_;
  MachineWatchdog watchdog_;
  MachineWatchdog::Watch watch_;
};

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
  const MachineReplay replay(control.request, control.request, system);
  const machines::World& world = replay.world();
  const SharedAllocation shared;
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = as_record(world.outcome());
  recording->divergence = replay.divergence();
  recording->divergence.found_count = 0;  // they have no names in the program
  recording->trace_hash = hash_of(world.trace());
  recording->steps = world.trace().size();
  recording->period = world.cycle();
  replay.story().copy_to(*recording);
  control.recording = recording;
  control.executions = 1;
  control.steps = world.trace().size();
  control.status = Status::finished;
}

MachineStory tell_story(const FoundBug& bug, const Request& request, const InitialSystem& system) {
  const MachineReplay replay(bug, request, system);
  return {replay.story().lines(replay.world()), replay.story().ending()};
}

}  // namespace ricercar::inline machine_search
