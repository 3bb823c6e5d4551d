#include "threads/memory_access.h"

#include <algorithm>
#include <string>

#include "model/messages.h"
#include "threads/profile_counters.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t largest_access = std::size_t{1} << 31;
// Nothing is ever mapped below it.
constexpr std::uint64_t first_page = 4096;

// Freeing counts as a write of the whole block, the last one.
bool races_with_free(std::uint64_t address, std::uint32_t size, std::uint64_t site) {
  RaceDetector* races = execution.races();
  return races != nullptr &&
         races->read(execution.self().id, address, size, site, execution.event_number()) != nullptr;
}

}  // namespace

void report_use_after_free(std::uint64_t address, std::uint32_t size, bool is_write,
                           std::uint64_t site) {
  execution.note_use(address);
  const HeapBlock block = heap_block_of(address);
  Outcome outcome;
  outcome.kind = OutcomeKind::use_after_free;
  outcome.message = std::string(is_write ? "writes " : "reads ") + std::to_string(size) +
                    " bytes in a freed block of " + std::to_string(block.size) + " bytes";
  if (races_with_free(address, size, site)) outcome.message += not_ordered;
  outcome.site = site;
  outcome.object = address;
  outcome.is_write = is_write;
  execution.found(std::move(outcome));
}

bool is_ordered() { return execution.alone() && execution.tasks().all_are_joined(); }

void note_access_alone(std::uint64_t address, std::uint32_t size, bool is_write) {
  if (execution.options().points != Points::shared || execution.tasks().all_are_joined()) return;
  execution.sharing().touch(execution.self().id, address, size, is_write);
}

void library_access(const void* memory, std::size_t size, bool is_write, std::uint64_t site) {
  if (size == 0) return;
  const std::uint64_t address = one_address(reinterpret_cast<std::uint64_t>(memory));
  const auto bytes = static_cast<std::uint32_t>(std::min(size, largest_access));
  access_point(is_access_point(address, bytes, is_write), address, bytes, is_write, site);
  note_access(address, bytes, is_write, site);
}

void full_access(std::uint64_t address, std::uint32_t size, bool is_write, std::uint64_t site) {
  plain_access(address, size, is_write, site);
}

void compare_access(std::uint64_t address, std::uint32_t size, bool is_write, std::uint64_t site) {
  const Race* race = execution.race_detector().compare(execution.self().id, address, size, is_write,
                                                       site, execution.event_number());
  if (__builtin_expect(race != nullptr, 0)) report_race(*race);
}

void report_race(const Race& race, bool is_free) {
  if (is_profile_counter(race.address)) return;
  if (race.address < first_page) return;  // both are faults, and the program handles them
  if (program_state.benign_races.contains(race.address, race.size)) return;
  if (execution.passes_race(race.site, race.other_site)) return;
  const auto describe = [](bool is_write, bool is_atomic) {
    return std::string(is_atomic ? "atomic " : "") + (is_write ? "write" : "read");
  };
  Outcome outcome;
  outcome.kind = OutcomeKind::data_race;
  outcome.message = (is_free ? "free" : describe(race.is_write, race.is_atomic)) + " by T" +
                    std::to_string(index(race.task)) + " and " +
                    describe(race.other_is_write, race.other_is_atomic) + " by T" +
                    std::to_string(index(race.other_task)) + " of the same " +
                    std::to_string(race.size) + " bytes, without synchronisation";
  outcome.task = race.task;
  outcome.site = race.site;
  outcome.object = race.address;
  outcome.other_task = race.other_task;
  outcome.other_site = race.other_site;
  outcome.is_write = race.is_write;
  outcome.other_is_write = race.other_is_write;
  outcome.other_event = race.other_event;
  execution.found(std::move(outcome));
}

}  // namespace ricercar::inline threads
