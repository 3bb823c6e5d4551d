// What a crash leaves of the files of a node.
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
  std::uint32_t& faults = cluster_memory().disk_faults;
  const std::vector<Survival> all = survivals(list, faults > 0);
  const auto count = static_cast<std::uint32_t>(all.size());
  if (count == 1) return all.front();
  const Operation& operation = pending_[index(last_)];
  const std::size_t chosen = ask(strategy, {ChoiceKind::value, trace_.size(), last_,
                                            OptionList(last_, count, &operation), trace_});
  if (stop_ != Stop::none) return all.front();
  trace_.push_back({0, operation.object, chosen, last_, OperationKind::fault, step_value, 0, 0,
                    static_cast<std::uint16_t>(count)});
  if (all[chosen].is_torn) --faults;
  return all[chosen];
}

}  // namespace ricercar::inline nodes
