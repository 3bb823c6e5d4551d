// The world of machines, as the search sees it, and its search: strategies on all cores, limits,
// bugs, replays. What passes to the outside is Control, as for threads (worker/worker.h); but a
// handler that crashes does not take its process along, so there is one process from the start to
// the end, and as many kernel threads as cores.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "machines/crash_guard.h"
#include "machines/world.h"
#include "search/control.h"
#include "search/kept_story.h"
#include "search/world.h"

namespace ricercar::inline machine_search {

// Watches the kernel threads that search a system of machines: a handler that does not come back is
// ended with the outcome `hang`, and the search keeps its time limit in the middle of an execution
// too. A kernel thread of its own; everything here may be called from any thread.
class MachineWatchdog {
 public:
  // Calls `tick` several times a second.
  MachineWatchdog(double hang_seconds, std::function<void()> tick);
  ~MachineWatchdog();
  MachineWatchdog(const MachineWatchdog&) = delete;
  MachineWatchdog& operator=(const MachineWatchdog&) = delete;

  // A world that runs on the calling thread, while it is watched.
  class Watch {
   public:
    Watch(MachineWatchdog& watchdog, const machines::World& world)
        : watchdog_(watchdog), world_(world) {
      watchdog_.add(world_);
    }
    ~Watch() { watchdog_.remove(world_); }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

   private:
    MachineWatchdog& watchdog_;
    const machines::World& world_;
  };

 private:
  struct Watched {
    const machines::World* world;
    pthread_t thread;
    std::uint64_t progress = 0;
    double unchanged_seconds = 0;
  };

  void add(const machines::World& world);
  void remove(const machines::World& world);
  void run();
  void look_at(Watched& watched) const;

  const double hang_seconds_;
  const std::function<void()> tick_;
  std::mutex mutex_;  // guards all below
  std::condition_variable ended_;
  bool over_ = false;
  std::vector<Watched> watched_;
  std::thread thread_;
};

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
  // What handlers do is found out again.
  bool can_be_kept() const override { return true; }

 private:
  struct StoryKeeper final : machines::Story {
    explicit StoryKeeper(const machines::World& teller) : world(teller) {}
    void tell(const RecordedAct& act) override {
      RecordedAct told = act;
      told.steps = world.trace().size();
      kept.add(told);
    }
    void becomes(const RecordedCondition& condition) override { kept.add(condition); }

    const machines::World& world;
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

// Searches until it is over; sets Control::status and what belongs to it.
void search_machines(Control& control, const machines::InitialSystem& system);

// Runs the schedule of control.request once; sets Control::recording.
void replay_machines(Control& control, const machines::InitialSystem& system);

// What happened in an execution, one line for each event, for people.
struct MachineStory {
  std::string lines;
  std::string ending;  // what every machine was at the end
};
MachineStory tell_story(const FoundBug& bug, Control& control,
                        const machines::InitialSystem& system);

}  // namespace ricercar::inline machine_search
