#include "threads/memory_access.h"

#include <algorithm>
#include <string>

#include "model/messages.h"
#include "threads/benign_races.h"
#include "threads/recorder.h"

namespace ricercar::inline threads {
namespace {

constexpr std::size_t largest_access = std::size_t{1} << 31;
// Nothing is ever mapped below it.
constexpr std::uint64_t first_page = 4096;

// The running task uses memory.
void note_use(std::uint64_t address) {
  if (!execution.accesses.notes_blocks) return;
  execution.accesses.block_used(execution.scheduler(), execution.self().id, address);
}

bool passes(const Race& race) {
  const bool goes_on = execution.end.passes_race(race.site, race.other_site);
  if (goes_on) execution.steps.open().passed = execution.end.passed();
  return goes_on;
}

// Freeing counts as a write of the whole block, the last one.
bool races_with_free(std::uint64_t address, std::uint32_t size, std::uint64_t site) {
  RaceDetector* races = execution.races();
  return races != nullptr &&
         races->read(execution.self().id, address, size, site, execution.accesses.event) != nullptr;
}

}  // namespace

void report_use_after_free(std::uint64_t address, std::uint32_t size, bool is_write,
                           std::uint64_t site) {
  note_use(address);
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

// --- Loops ---

namespace {

// As check_spin, for a read that is no point. What a library that is not instrumented does in such
// a loop is not seen, so it is no livelock if nobody else is left: then the loop runs on, and ends
// or hangs.
void look_for_plain_spin(std::uint64_t site) {
  Task& self = execution.self();
  LongRun& long_run = execution.accesses.long_run;
  if (long_run.looks()) reset_spin(self);
  if (self.spin.site == site) long_run.compares();
  check_spin(self, site);
  if (execution.turns.spins_now(self.id)) {
    long_run.end_look();
    execution.turns.spins_on_plain_memory();
    execution.point(OperationKind::yield, nullptr, site);
  } else if (long_run.looked_in_vain()) {
    long_run.end_look();
  }
}

void give_way_in_loop(std::uint64_t site) {
  execution.accesses.point_reached(execution.steps.open());
  const Turns& turns = execution.turns;
  const bool is_only = turns.ready().size() == 1 && turns.timed().empty();
  if (is_only) return;  // nobody to give way to
  execution.point(OperationKind::yield, nullptr, site);
  execution.scheduler().yielded();
}

}  // namespace

void look_at_long_run(std::uint64_t site, bool may_spin) {
  if (execution.accesses.long_run.is_too_long()) return give_way_in_loop(site);
  if (may_spin && !execution.turns.is_patient()) look_for_plain_spin(site);
}

void check_plain_spin(std::uint64_t site) {
  if (execution.turns.is_patient()) return;  // there is nobody else
  check_spin(execution.self(), site);
  if (execution.turns.spins_now(execution.self().id)) execution.turns.spins_on_plain_memory();
}

// --- What is noted ---

void record_atomic(int order, std::uint64_t site) {
  execution.accesses.event =
      execution.recorder()->atomic_access(execution, static_cast<std::uint8_t>(order), site);
}

void record_heap(bool allocated, std::uint64_t address, std::uint64_t size, std::uint64_t site) {
  execution.accesses.event =
      execution.recorder()->heap_event(execution, allocated, address, size, site);
}

void record_place(std::uint64_t site) {
  execution.accesses.event = execution.recorder()->place(execution.self().id, site);
}

void note_plain_access(std::uint64_t address, std::uint32_t size, bool is_write,
                       std::uint64_t site) {
  note_use(address);
  if (Recorder* recorder = execution.recorder()) {
    execution.accesses.event = recorder->plain_access(execution, address, size, is_write, site);
  }
}

void block_freed(std::uint64_t address, std::uint64_t size) {
  if (execution.options().points == Points::shared && !execution.tasks.alone_for_good()) {
    execution.accesses.sharing.freed(execution.self().id, address, size);
  }
  execution.accesses.block_freed(execution.scheduler(), address);
}

bool is_ordered() { return execution.tasks.alone_for_good(); }

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
  const Race* race = execution.accesses.race_detector.compare(
      execution.self().id, address, size, is_write, site, execution.accesses.event);
  if (__builtin_expect(race != nullptr, 0)) report_race(*race);
}

void report_race(const Race& race, bool is_free) {
  if (is_profile_counter(race.address)) return;
  if (race.address < first_page) return;  // both are faults, and the program handles them
  if (program_state.benign_races.contains(race.address, race.size)) return;
  if (execution.options().points == Points::racy) {
    execution.accesses.sharing.found_race(race.address, race.size);
  }
  if (!execution.options().points_at(Points::racy)) execution.accesses.left_race = true;
  if (!execution.options().races || passes(race)) return;
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
