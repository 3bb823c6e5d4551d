// What the driver promises, as monitors.
#pragma once

#include <set>

#include "messages.h"

namespace osr {

// Every request is completed, and only once.
struct CompletedOnce : ricercar::Monitor {
  std::set<int> open;

  struct Idle;
  struct Owing;

  static void define(ricercar::Definition<CompletedOnce>& monitor) {
    monitor.state<Idle>().on(&CompletedOnce::submit).on(&CompletedOnce::complete);
    monitor.state<Owing>().hot().on(&CompletedOnce::submit).on(&CompletedOnce::complete);
  }

  void submit(const Submitted& request) {
    open.insert(request.id);
    go_to<Owing>();
  }

  void complete(const Completed& request) {
    require(open.erase(request.id) == 1, "a request was completed twice");
    if (open.empty()) go_to<Idle>();
  }
};

// Every order of the power manager is answered.
struct PowerOrdersAnswered : ricercar::Monitor {
  struct Idle;
  struct Owing;

  static void define(ricercar::Definition<PowerOrdersAnswered>& monitor) {
    monitor.watch<PowerUp, PowerDown, PoweredUp, PoweredDown>();
    monitor.state<Idle>().go_to<PowerUp, Owing>().go_to<PowerDown, Owing>();
    monitor.state<Owing>().hot().go_to<PoweredUp, Idle>().go_to<PoweredDown, Idle>();
  }
};

}  // namespace osr
