// The options of a search, from the command line to the process that searches and into the
// schedules of bugs. An option is a member here with its row in fields(), a row in the table of the
// command line (cli/run_options.cc), and what reads it: everything between passes the whole struct
// on.
//
// The structs are copied as bytes from process to process.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "model/fields.h"

namespace ricercar::inline model {

// Where choice points are: where the nodes of a cluster meet; at synchronisation; at atomics too;
// at plain accesses to memory on which a data race was seen, too; to memory that is known to be
// shared; at all plain accesses.
enum class Points : std::uint8_t { message, sync, atomic, racy, shared, memory };
inline constexpr std::array<std::string_view, 6> point_names = {"message", "sync",   "atomic",
                                                                "racy",    "shared", "memory"};
constexpr std::string_view name_of(Points points) {
  return point_names[static_cast<std::size_t>(points)];
}
// Throws UsageError with the nearest name.
Points points_by_name(std::string_view name);

// What a thread of the program runs on. Real threads are slow, and every debugger understands them.
enum class Backend : std::uint8_t { fibers, threads };

// A specification of a strategy, as "pct:depth=3"; empty: the default one.
using StrategyText = FixedText<512>;
// Throws UsageError if it does not fit.
StrategyText strategy_text(std::string_view specification);

// The options that change what a decision means: a schedule keeps them, under these names.
struct ScheduleOptions {
  Points points = Points::atomic;
  bool races = true;                 // data races are bugs
  bool spurious_wakeups = false;     // condition variables may wake without a signal
  bool weak_failures = false;        // a weak compare-exchange may fail without a reason
  std::uint64_t seed = 1;            // of all random decisions
  std::uint64_t max_steps = 100000;  // per execution
  double hang_seconds = 10;          // uncontrolled code that takes longer is reported as `hang`
  StrategyText strategy;

  static constexpr auto fields() {
    return std::tuple(
        Field{"points", &ScheduleOptions::points}, Field{"races", &ScheduleOptions::races},
        Field{"spurious_wakeups", &ScheduleOptions::spurious_wakeups},
        Field{"weak_failures", &ScheduleOptions::weak_failures},
        Field{"seed", &ScheduleOptions::seed}, Field{"max_steps", &ScheduleOptions::max_steps},
        Field{"hang_seconds", &ScheduleOptions::hang_seconds},
        Field{"strategy", &ScheduleOptions::strategy});
  }
};
static_assert(names_all_fields<ScheduleOptions>);

// All that a search can be asked for. What is not an option but follows from several of them, or
// from the program, is in Request (search/control.h).
struct SearchOptions : ScheduleOptions {
  std::uint64_t max_executions = 0;  // 0: no limit
  double max_seconds = 0;            // 0: no limit
  bool keep_going = false;           // do not stop at the first bug
  bool force_fork = false;           // a fork for each execution, never restore memory
  std::uint64_t memory = 0;          // bytes for what waits to be explored; 0: no limit
  std::uint32_t cores = 0;  // how many kernel threads search, where the world allows it; 0: all

  static constexpr auto fields() {
    return std::tuple(Field{"max_executions", &SearchOptions::max_executions},
                      Field{"max_seconds", &SearchOptions::max_seconds},
                      Field{"keep_going", &SearchOptions::keep_going},
                      Field{"force_fork", &SearchOptions::force_fork},
                      Field{"memory", &SearchOptions::memory},
                      Field{"cores", &SearchOptions::cores});
  }
};
static_assert(names_all_fields<SearchOptions, ScheduleOptions>);
static_assert(std::is_trivially_copyable_v<SearchOptions>);

}  // namespace ricercar::inline model
