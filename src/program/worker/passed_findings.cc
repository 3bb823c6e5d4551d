#include "worker/passed_findings.h"

#include "model/shared_array.h"
#include "search/failure.h"
#include "search/found_bugs.h"
#include "threads/execution.h"
#include "threads/recorder.h"

namespace ricercar::inline worker {

bool SearchFindings::goes_on_through_race(std::uint64_t site, std::uint64_t other_site) {
  return is_known_race(control_, site, other_site) ||
         count_ignored_race(control_, site, other_site);
}

bool SearchFindings::goes_on(const Outcome& finding) {
  // A circle is counted with the end of the execution.
  if (finding.kind == OutcomeKind::deadlock) {
    return late_deadlocks_ || is_ignored(control_.request, finding.kind) || is_suppressed(finding);
  }
  if (is_left_out(finding)) return true;
  if (finding.kind != OutcomeKind::data_race || !control_.request.keep_going) return false;
  add_found_bug(control_, {finding,
                           execution.steps.trace(),
                           execution.accesses.sharing.points(),
                           {control_.open.key_points, execution.end.passed(),
                            execution.accesses.plain(execution.steps.open())}});
  return true;
}

bool SearchFindings::is_left_out(const Outcome& finding) {
  const bool is_ignored_kind = is_ignored(control_.request, finding.kind);
  const std::uint32_t suppression = is_ignored_kind ? 0 : suppression_of(finding);
  if (!is_ignored_kind && suppression == 0) return false;
  note(finding, suppression);
  return true;
}

// The places of what is left out are named by the tool, which has to know where the program is.
void SearchFindings::note(const Outcome& finding, std::uint32_t suppression) {
  add_ignored(control_, finding, suppression);
  if (control_.modules.size == 0) control_.modules = to_shared(loaded_modules());
}

std::uint32_t SearchFindings::suppression_of(const Outcome& finding) {
  const auto kind = static_cast<unsigned>(finding.kind);
  if ((control_.request.suppressed_kinds >> kind & 1) == 0) return 0;
  const FindingStacks stacks = stacks_of(finding);
  std::vector<std::uint64_t> key = stacks.addresses;
  key.push_back(kind);
  const auto [known, is_new] = answers_.try_emplace(std::move(key), 0);
  if (is_new) known->second = ask_for_suppression(finding.kind, stacks.addresses, stacks.ends);
  return known->second;
}

// --- Variants ---

bool VariantFindings::goes_on(const Outcome& finding) {
  if (search_ == nullptr || !search_->failure()) return recorded_.goes_on(finding);
  const Request& request = control_.request;
  if (request.passed == 0 && !is_ignored(request, finding.kind)) return false;
  return failure_of(finding, places_.of(identifying_stacks_of(finding))) != search_->failure();
}

}  // namespace ricercar::inline worker
