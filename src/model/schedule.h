// A recorded schedule: enough, with the program, to run an execution again. Stored as JSON
// ("ricercar.schedule/1"), at most two characters for a decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/execution_size.h"
#include "model/last_chance.h"
#include "model/options.h"
#include "model/recorded_execution.h"

namespace ricercar::inline model {

// An entry of Schedule::checks that says nothing about the operation: the file has no room for a
// check beside the number of a task or an alternative from 48 on.
inline constexpr std::uint8_t unchecked = 0xff;

// Of how many decisions a schedule says what they led to: it would take more than the decisions.
inline constexpr std::size_t most_operations_kept = 2000;

// What minimising has made of an execution that fails.
struct Minimised {
  std::string original;          // the file beside this one with the execution as it was found
  ExecutionSize before;          // of that one
  ExecutionSize after;           // of this one
  std::uint64_t executions = 0;  // that were tried
};

// Until when the failure could still be avoided, and how.
struct LastChanceFile : LastChance {
  std::string passing;  // the file beside this one with the execution that passes; may be empty
  std::string instead;  // what is done there instead of the step: "T1 locks `mutex` at a.cc:12"
  // Both are about the same object, and their order matters to it.
  bool is_conflict = false;
  // Machines and nodes: what is received in another order, in words, and the event that is first in
  // the execution that fails; empty: nothing is.
  std::string order;
  std::uint64_t order_event = 0;
};

struct Schedule : ScheduleOptions, RecordedExecution<std::vector> {
  // What was run.
  std::string program;                 // absolute path of the executable
  std::vector<std::string> arguments;  // without the program's name
  std::string build_id;                // of the executable; see build_id_of in the report library
  std::uint32_t check_number = 0;      // 0: a whole program; n: the n-th ricercar::check call
  // What it showed.
  std::string kind;
  std::string message;
  std::uint64_t execution = 0;
  std::uint64_t steps = 0;
  std::uint64_t trace_hash = 0;
  std::optional<Minimised> minimised;
  std::optional<LastChanceFile> last_chance;
};

// Both throw UsageError with a message that says what is wrong with the file and what to do.
Schedule read_schedule(const std::string& path);
void write_schedule(const std::string& path, const Schedule& schedule);

}  // namespace ricercar::inline model
