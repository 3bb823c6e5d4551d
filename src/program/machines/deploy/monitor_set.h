// Monitors outside of the checker: fed with events one at a time, on threads or from log files.
//
// Thread-safe: events are seen in one order, the one in which tell() is entered.
#pragma once

#include <ricercar/deploy.h>
#include <ricercar/detail/machine_type.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "machines/dispatch.h"

namespace ricercar::deploy {

class MonitorSet {
 public:
  // Before the first event.
  void add(detail::ObjectRef monitor);
  bool empty() const { return monitors_.empty(); }
  // Whether a monitor wants to see events of the type when they are sent.
  bool watches(std::uint32_t event_type) const {
    return event_type < watched_.size() && watched_[event_type];
  }

  // Enters the first states, as tell() does.
  std::vector<Failure> start();
  // A monitor that fails sees nothing afterwards.
  std::vector<Failure> tell(const detail::Event& event, bool is_announced);
  // What is still owed: monitors that are in a hot state.
  std::vector<Failure> owed() const;

 private:
  struct Watcher {
    detail::ObjectRef object;
    machines::StateStack stack = {};
    bool over = false;
  };

  static bool wants(const Watcher& watcher, std::uint32_t event, bool is_announced);
  static std::optional<Failure> run(Watcher& watcher, const detail::Event* event);

  mutable std::mutex mutex_;
  std::vector<Watcher> monitors_;
  std::vector<bool> watched_;
};

}  // namespace ricercar::deploy
