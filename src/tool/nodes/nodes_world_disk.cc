// What goes wrong with the files of a node, and with single calls: what a crash leaves, disks that
// fail, transfers that are cut short.
#include "disk/crash.h"
#include "disk/sync.h"
#include "nodes/nodes_world.h"

namespace ricercar::inline nodes {

// The node starts again, and finds what has survived: that is chosen now, because nobody can see it
// before. Of each file by itself, and of all names.
void NodesWorld::lose_unsynced(Strategy& strategy, std::uint32_t node) {
  DiskLog& log = cluster_.disk();
  const auto owner = static_cast<std::uint16_t>(node);
  const std::vector<Unsynced> lists = unsynced(log, owner);
  std::vector<Survival> chosen;
  bool is_something_lost = false;
  for (const Unsynced& list : lists) {
    chosen.push_back(choose_survival(strategy, list));
    if (stop_ != Stop::none) return;
    const Survival& survival = chosen.back();
    if (survival.loses_nothing()) continue;
    is_something_lost = true;
    note(ActKind::fault, node, "HAS LOST " + words_of(list, survival));
  }
  if (is_something_lost) apply_crash(log, owner, lists, chosen);
  log.node = owner;
  sync_all(log);  // it has survived
}

Survival NodesWorld::choose_survival(Strategy& strategy, const Unsynced& list) {
  std::uint32_t& faults = left_[FaultKind::disk];
  const std::vector<Survival> all = survivals(list, faults > 0);
  const Survival& chosen = all[ask_injector(strategy, all.size())];
  if (chosen.is_torn) --faults;
  show_budgets();
  return chosen;
}

// --- Calls ---

// The nodes have points where something may go wrong, as long as it may.
void NodesWorld::show_budgets() {
  cluster_memory().disk_faults = left_[FaultKind::disk];
  cluster_memory().short_transfers = left_[FaultKind::cut_short];
}

// Of calls that are about to be made. The disks of clients do not fail: they are who asks.
void NodesWorld::add_faults_of_calls(std::uint32_t node) {
  if (nodes_[node].post != NodePost::choice) return;
  const NodeSlot& slot = cluster_.slot(node);
  const bool may_disk_fail = left_[FaultKind::disk] > 0 && !cluster_.plan(node).is_client;
  slot.enabled.for_each([&](TaskId own) {
    const auto add = [&](FaultKind kind, CallFault fault) {
      if ((slot.may_fail[index(own)] & fault) == 0) return;
      faults_.push_back({kind, Fault::begins, node, own, fault});
    };
    if (may_disk_fail) add(FaultKind::disk, call_fails);
    if (may_disk_fail) add(FaultKind::disk, disk_is_full);
    if (left_[FaultKind::cut_short] > 0) add(FaultKind::cut_short, call_is_short);
  });
}

void NodesWorld::fail_call(const Fault& fault) {
  NodeSlot& slot = cluster_.slot(fault.target);
  slot.may_fail[index(fault.task)] = 0;
  slot.fails[index(fault.task)] = fault.call;
  show_budgets();
}

void NodesWorld::tell_of_call_fault(const Fault& fault) {
  const NodeSlot& slot = cluster_.slot(fault.target);
  const std::string call = std::string(slot.calls[index(fault.task)]) + "()";
  const std::uint64_t site = slot.pending[index(fault.task)].site;
  const std::string place = site == 0 ? "" : cluster_.place_of(fault.target, site - 1);
  const char* how = fault.call == call_fails     ? " FAILS (EIO)"
                    : fault.call == disk_is_full ? " FINDS THE DISK FULL (ENOSPC)"
                                                 : " IS CUT SHORT";
  note(ActKind::fault, fault.target, call + how + (place.empty() ? "" : " at " + place));
}

}  // namespace ricercar::inline nodes
