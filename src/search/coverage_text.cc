#include "search/coverage_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"

namespace ricercar::inline search {
namespace {

// What a search with strata shows of them.
void note_strata(Control& control, const Strategy& strategy) {
  const std::vector<Stratum> strata = strata_of(strategy);
  control.stratum_count =
      static_cast<std::uint32_t>(std::min<std::size_t>(strata.size(), Control::most_strata));
  std::copy(strata.end() - control.stratum_count, strata.end(), control.strata);
}

}  // namespace

void note_samples(Control& control, const Census& sampled) {
  if (sampled.draws() == 0) return;
  control.sampled_traces = sampled.draws();
  control.distinct_traces = sampled.distinct();
  control.chance_of_new_trace = sampled.chance_of_new();
}

void describe_coverage(Control& control, const Strategy& strategy) {
  const Coverage coverage = strategy.coverage();
  control.covers_all = coverage.complete;
  control.complete =
      coverage.complete && control.truncated == 0 && control.lost == 0 && !control.unfollowed_races;
  std::string text = coverage.text;
  if (control.truncated != 0) {
    text += "; " + std::to_string(control.truncated) + " executions were cut at the step limit";
  }
  if (control.lost != 0) {
    text += "; " + std::to_string(control.lost) +
            " executions ended with their process, and what could follow from them is not explored";
  }
  if (control.unfollowed_races) {
    const bool is_cluster = control.world_kind == WorldKind::nodes;
    text += "; data races were seen, and what they lead to is not explored (";
    text += is_cluster ? "--no-races --points memory)" : "--points racy)";
  }
  copy_text(control.coverage, text);
  copy_text(control.progress, progress_of(strategy));
  control.first_part = first_part_of(strategy);
  note_strata(control, strategy);
}

}  // namespace ricercar::inline search
