// A recorded schedule: enough, with the program, to run an execution again. Stored as JSON
// ("ricercar.schedule/1"), at most two characters for a decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/operation.h"
#include "model/options.h"

namespace ricercar::inline model {

// An entry of Schedule::checks that says nothing about the operation: the file has no room for a
// check beside the number of a task or an alternative from 48 on.
inline constexpr std::uint8_t unchecked = 0xff;

// Of how many decisions a schedule says what they led to: it would take more than the decisions.
inline constexpr std::size_t most_operations_kept = 2000;

struct Schedule : ScheduleOptions {
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
  // One entry for each choice point with at least two options: the task chosen (schedule points) or
  // the alternative (value points), and six bits of a hash of the operation that it led to.
  std::vector<std::uint16_t> decisions;
  std::vector<std::uint8_t> checks;
  // What each of the first decisions led to, for messages. Empty in files of earlier versions.
  std::vector<TaskOperation> operations;
  // With the points `shared`: which of the plain accesses were choice points, by number, ascending.
  std::vector<std::uint32_t> accesses;
  // Uses of thread keys were choice points (threads/keys.h).
  bool key_points = false;
  // So many findings (data races, ...) the execution went on through before this one, because they
  // were known or not to fail the search.
  std::uint64_t passed = 0;
  // How many plain accesses it made that are no points; 0: not known.
  std::uint64_t plain_accesses = 0;
};

// Both throw UsageError with a message that says what is wrong with the file and what to do.
Schedule read_schedule(const std::string& path);
void write_schedule(const std::string& path, const Schedule& schedule);

}  // namespace ricercar::inline model
