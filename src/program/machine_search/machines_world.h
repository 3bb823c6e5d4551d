// The world of machines, as the search sees it. A handler that crashes does not take its process
// along, so there is one process from the start to the end, and as many kernel threads as cores.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine_search/machine_watchdog.h"
#include "machines/crash_guard.h"
#include "machines/world.h"
#include "search/control.h"
#include "search/kept_story.h"
#include "search/world.h"

namespace ricercar::inline machine_search {

class MachinesWorld final : public World {
 public:
  // The watchdog sees to it that handlers come back; `is_over` ends an execution in the middle.
  MachinesWorld(Control& control, const machines::InitialSystem& system, MachineWatchdog& watchdog,
                const std::atomic<bool>& is_over);
  ~MachinesWorld() override;

  // From now on what happens is kept, for `record`.
  void keep_story();
  const machines::World& machines() const { return world_; }
  // With what every machine was at the end.
  KeptStory story() const;

  std::unique_ptr<World> another() override;
  std::unique_ptr<Strategy> new_strategy() override;
  void begin_search() override;
  void end_search() override;

  bool restore() override { return true; }  // run() does
  ExecutionEnd run(Strategy& strategy) override;
  std::vector<Step> left() const override { return world_.left(); }
  std::string error() const override { return world_.strategy_error(); }
  std::vector<Finding> findings() override;
  bool leaves_out(const Outcome& finding) override;
  Finding from_start(const Finding& finding) override;
  void record(Recording& recording) const override;

 private:
  struct StoryKeeper final : machines::Story {
    void tell(const RecordedAct& act) override { kept.add(act); }

    KeptStory kept;
  };

  // What a kernel thread has while it searches.
  struct OnThread {
    OnThread(MachineWatchdog& watchdog, const machines::World& world) : watch(watchdog, world) {}

    machines::SignalStack signal_stack;
    MachineWatchdog::Watch watch;
  };

  Control& control_;
  const machines::InitialSystem& system_;
  MachineWatchdog& watchdog_;
  const std::atomic<bool>& is_over_;
  machines::World world_;
  std::unique_ptr<StoryKeeper> story_;      // null: nothing is kept
  std::unique_ptr<machines::World> again_;  // the last finding from the start
  std::unique_ptr<OnThread> on_thread_;
  bool is_partner_ = false;
  // How many there are; made and destroyed while nobody searches.
  static inline std::uint32_t partners_ = 0;
};

}  // namespace ricercar::inline machine_search
