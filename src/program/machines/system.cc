// The set-up of a system, and renamings of its interchangeable machines.
#include <algorithm>

#include "base/error.h"
#include "machines/monitor_run.h"
#include "machines/world.h"

namespace ricercar::machines {
namespace {

class SystemBuilder final : public System {
 public:
  InitialSystem take() {
    if (system_.start.cells.size() == 0) {
      throw UsageError("the set-up creates no machine: there is nothing to run");
    }
    const KeptCells& cells = system_.start.cells;
    for (std::uint32_t i = 0; i < cells.size(); ++i) {
      finish(*cells[i], i);
      if (i < 64 && cells[i]->runs) system_.start.enabled |= std::uint64_t{1} << i;
    }
    const KeptCells& monitors = system_.start.monitors;
    for (std::uint32_t i = 0; i < monitors.size(); ++i) finish(*monitors[i], max_tasks + i);
    return std::move(system_);
  }

 protected:
  MachineId create_object(detail::ObjectRef machine) override {
    if (machine->type->is_monitor) {
      throw UsageError("System::create with a monitor: use System::monitor");
    }
    KeptCells& cells = system_.start.cells;
    if (cells.size() >= max_tasks) throw UsageError("the set-up creates too many machines");
    auto* cell = new Cell;
    cell->type = machine->type;
    cell->object = machine;
    cell->first = std::move(machine);
    cells.adopt(cell);
    return MachineId(static_cast<std::uint32_t>(cells.size() - 1));
  }

  void send_event(MachineId to, detail::Event event) override {
    known(to).queue.push_back(std::move(event));
  }

  void add_monitor(detail::ObjectRef monitor) override {
    if (!monitor->type->is_monitor) {
      throw UsageError("System::monitor with a machine: use System::create");
    }
    auto* cell = new Cell;
    system_.start.monitors.adopt(cell);
    cell->type = monitor->type;
    cell->phase = Phase::ready;
    cell->object = std::move(monitor);
    MonitorRun run(*cell->type, cell->object->variables, cell->stack);
    if (!run.start()) {
      throw UsageError("the monitor " + std::string(cell->type->name) +
                       " cannot start: " + run.message());
    }
    for (const detail::StateInfo& state : cell->type->states) {
      system_.has_hot_states |= state.hot;
    }
  }

  void make_symmetric(const std::vector<MachineId>& machines) override {
    std::vector<std::uint32_t> group;
    for (const MachineId machine : machines) group.push_back(machine.number());
    if (group.size() > 6) throw UsageError("at most 6 machines can be made interchangeable");
    for (const std::uint32_t machine : group) {
      if (known(MachineId(machine)).type != known(MachineId(group[0])).type) {
        throw UsageError("interchangeable machines are of one type");
      }
    }
    std::sort(group.begin(), group.end());
    if (group.size() > 1) system_.symmetric.push_back(std::move(group));
  }

 private:
  Cell& known(MachineId machine) {
    if (machine.number() >= system_.start.cells.size()) {
      throw UsageError("the set-up uses a machine that it has not created");
    }
    return *system_.start.cells[machine.number()];
  }
  void finish(Cell& cell, std::uint32_t number) {
    cell.update(number, true);
    system_.start.sum = system_.start.sum + cell.hash;
  }

  InitialSystem system_;
};

Hash renamed_hash(std::span<Cell* const> cells, std::span<Cell* const> monitors,
                  const std::vector<std::uint32_t>& names) {
  Hash sum;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    if (cells[i] == nullptr) continue;
    Hasher hasher(names.data(), static_cast<std::uint32_t>(names.size()));
    hasher.add(i < names.size() ? names[i] : i);
    sum = sum + cells[i]->hash_with(hasher);
  }
  for (std::uint32_t i = 0; i < monitors.size(); ++i) {
    Hasher hasher(names.data(), static_cast<std::uint32_t>(names.size()));
    hasher.add(max_tasks + i);
    sum = sum + monitors[i]->hash_with(hasher);
  }
  return sum;
}

// Calls visit() with every renaming of the groups from `group` on.
template <typename Visit>
void for_each_renaming(const std::vector<std::vector<std::uint32_t>>& groups, std::size_t group,
                       std::vector<std::uint32_t>& names, const Visit& visit) {
  if (group == groups.size()) return visit();
  std::vector<std::uint32_t> order = groups[group];
  do {
    for (std::size_t i = 0; i < order.size(); ++i) names[groups[group][i]] = order[i];
    for_each_renaming(groups, group + 1, names, visit);
  } while (std::next_permutation(order.begin(), order.end()));
}

}  // namespace

InitialSystem make_system(const SetUp& set_up) {
  SystemBuilder builder;
  set_up(builder);
  return builder.take();
}

Fingerprint symmetric_fingerprint(const std::vector<std::vector<std::uint32_t>>& groups,
                                  std::span<Cell* const> cells, std::span<Cell* const> monitors) {
  std::uint32_t highest = 0;
  for (const auto& group : groups) highest = std::max(highest, group.back());
  std::vector<std::uint32_t> names(highest + 1);
  for (std::uint32_t i = 0; i < names.size(); ++i) names[i] = i;
  Fingerprint least{~std::uint64_t{0}, ~std::uint64_t{0}};
  for_each_renaming(groups, 0, names, [&] {
    const Hash hash = renamed_hash(cells, monitors, names);
    least = std::min(least, Fingerprint{hash.low, hash.high});
  });
  return least;
}

}  // namespace ricercar::machines
