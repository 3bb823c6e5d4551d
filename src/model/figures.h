// The figures of a search: counted in the shared memory by the loop, printed by the summary, never
// copied one by one. A figure is a member here with its row in fields(), who counts it, and what
// the summary's text says about it; the row alone makes it a field of the JSON.
#pragma once

#include <cstdint>

#include "model/fields.h"

namespace ricercar::inline model {

// What every result tells.
struct Explored {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  double seconds = 0;     // time spent searching
  bool complete = false;  // nothing is left to explore

  static constexpr auto fields() {
    return std::tuple(Field{"executions", &Explored::executions}, Field{"steps", &Explored::steps},
                      Field{"seconds", &Explored::seconds}, Field{"complete", &Explored::complete});
  }
};
static_assert(names_all_fields<Explored>);

struct SearchFigures : Explored {
  std::uint64_t transitions = 0;      // machines: from one scheduling point to the next
  std::uint64_t distinct_traces = 0;  // an estimate by the hash of happens-before
  // Of a search that samples: of so many executions the traces were compared, and about so likely
  // the next one shows a new trace. 0: all of them came again.
  std::uint64_t sampled_traces = 0;
  double chance_of_new_trace = 0;
  std::uint64_t first_part = 0;  // executions until the first of two parts had ended
  std::uint64_t truncated = 0;   // executions that reached max_steps without a verdict
  bool forks = false;            // a fork per execution was needed
  std::uint32_t most_tasks = 0;  // of one execution
  std::uint64_t most_steps = 0;  // likewise
  std::uint64_t lost = 0;        // executions that ended with their process
  std::uint64_t bug_count = 0;
  bool unfollowed_races = false;  // races were seen on memory whose accesses are no points

  static constexpr auto fields() {
    return std::tuple(
        Field{"transitions", &SearchFigures::transitions, Shown::unless_zero},
        Field{"distinct_traces", &SearchFigures::distinct_traces},
        Field{"sampled_traces", &SearchFigures::sampled_traces, Shown::unless_zero},
        Field{"chance_of_new_trace", &SearchFigures::chance_of_new_trace, Shown::unless_zero},
        Field{"first_part", &SearchFigures::first_part, Shown::unless_zero},
        Field{"truncated", &SearchFigures::truncated}, Field{"forks", &SearchFigures::forks},
        Field{"most_tasks", &SearchFigures::most_tasks},
        Field{"most_steps", &SearchFigures::most_steps},
        Field{"lost", &SearchFigures::lost, Shown::elsewhere},
        Field{"bug_count", &SearchFigures::bug_count, Shown::elsewhere},
        Field{"unfollowed_races", &SearchFigures::unfollowed_races, Shown::unless_zero});
  }
};
static_assert(names_all_fields<SearchFigures, Explored>);

}  // namespace ricercar::inline model
