// Watches the kernel threads that search a system of machines: a handler that does not come back is
// ended with the outcome `hang`, and the search keeps its time limit in the middle of an execution
// too. A kernel thread of its own; everything here may be called from any thread.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "machines/world.h"

namespace ricercar::inline machine_search {

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

}  // namespace ricercar::inline machine_search
