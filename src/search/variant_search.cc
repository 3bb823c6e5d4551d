#include "search/variant_search.h"

#include <utility>

namespace ricercar::inline search {
namespace {

// What executions cost in steps, about: to put the program back and to begin and end, a fork, a
// hand-over between the processes of a cluster, a worker that has to be started anew. It depends on
// nothing but the search, so that a budget means the same on every machine.
constexpr std::uint64_t restart_cost = 100;
constexpr std::uint64_t fork_cost = 5000;
constexpr std::uint64_t process_cost = 100000;
constexpr std::uint64_t cluster_cost = 20000;
constexpr std::uint64_t cluster_step_cost = 100;

}  // namespace

VariantSearch::VariantSearch(const Control& control, std::unique_ptr<VariantSource> source)
    : control_(control), source_(std::move(source)) {}

std::uint64_t VariantSearch::cost_of(std::uint64_t steps) const {
  if (control_.world_kind == WorldKind::nodes) return cluster_cost + steps * cluster_step_cost;
  return (control_.forks ? fork_cost : restart_cost) + steps;
}

bool VariantSearch::begin() {
  if (!std::exchange(has_begun_, true)) return true;
  if (std::exchange(is_first_, false) && !failure_) return false;
  if (!std::exchange(is_judged_, true)) source_->judge({});
  const std::uint64_t budget = control_.request.variants.budget;
  if (spent_ >= budget) return false;
  attempt_ = {};
  if (!source_->next(attempt_, budget - spent_)) return false;
  is_judged_ = false;
  follower_.begin(attempt_.variant);
  return true;
}

std::size_t VariantSearch::choose(const ChoicePoint& point) {
  if (is_first_) return follow_recorded(point);
  if (attempt_.strategy != nullptr) return attempt_.strategy->choose(point);
  return follower_.choose(point);
}

// The end of the recorded decisions need not be that of the execution: it may go on to its end.
std::size_t VariantSearch::follow_recorded(const ChoicePoint& point) {
  const Array<std::uint16_t>& decisions = control_.request.decisions;
  if (next_decision_ >= decisions.size) return cut;
  const std::uint16_t decision = decisions[next_decision_++];
  if (point.kind == ChoiceKind::value) return decision < point.options.size() ? decision : cut;
  const TaskId task = task_id(decision);
  return point.options.contains(task) ? point.options.position(task) : cut;
}

EndlessEnd VariantSearch::told() const {
  return is_first_ ? told_of(control_.request) : attempt_.told;
}

void VariantSearch::end(Trace trace, const Outcome& outcome) {
  spent_ += cost_of(trace.size() + attempt_.extra_cost);
  if (!is_first_) source_->ended(trace, outcome);
}

void VariantSearch::process_lost() { spent_ += process_cost; }

bool VariantSearch::found(const Finding& finding, std::vector<std::uint64_t> places) {
  if (is_first_) {
    const VariantRequest& request = control_.request.variants;
    if (finding.outcome.kind != request.kind || finding.trace.size() != request.steps) return false;
    failure_ = failure_of(finding.outcome, std::move(places), finding.facts.round != 0);
    source_->begin(finding.trace);
    return true;
  }
  if (is_judged_) return false;
  const bool is_fine = !finding.outcome.is_bug();
  const bool goes_round = finding.facts.round != 0;
  const bool fails =
      !is_fine && failure_of(finding.outcome, std::move(places), goes_round) == failure_;
  if (!is_fine && !fails) return false;
  is_judged_ = true;
  return source_->judge(
      {finding.trace, {finding.facts.told_steps, finding.facts.round}, fails, is_fine});
}

std::unique_ptr<Strategy> make_variant_search(const Control& control) {
  const auto make_source = [&control] {
    if (control.request.variants.goal == VariantRequest::nearest_passing)
      return make_last_chance_search();
    const Request& request = control.request;
    return request.round != 0 ? make_round_minimiser(request.round, request.max_steps)
                              : make_minimiser();
  };
  return std::make_unique<VariantSearch>(control, make_source());
}

}  // namespace ricercar::inline search
