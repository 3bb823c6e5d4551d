#include "worker/passed_findings.h"

#include "model/shared_array.h"
#include "search/found_bugs.h"
#include "threads/calls.h"
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
  note_stacks(finding);
  std::vector<std::uint64_t> key = addresses_;
  key.push_back(kind);
  const auto [known, is_new] = answers_.try_emplace(std::move(key), 0);
  if (is_new) known->second = ask_for_suppression(finding.kind, addresses_, stack_ends_);
  return known->second;
}

// Of a deadlock: everybody who cannot go on. Of a leak: where the thread was created.
void SearchFindings::note_stacks(const Outcome& finding) {
  addresses_.clear();
  stack_ends_.clear();
  const auto task_count = execution.tasks.count();
  if (finding.kind == OutcomeKind::deadlock) {
    for (std::uint32_t i = 0; i < task_count; ++i) {
      const Task& task = execution.tasks[task_id(i)];
      if (task.state != TaskState::live || !execution.turns.is_blocked(task.id)) continue;
      add_stack(execution.tasks.pending(task.id).site, task.context);
    }
    return;
  }
  const bool has_task = index(finding.task) < task_count;
  const ContextId outermost = CallContexts::outermost;
  if (finding.kind == OutcomeKind::leak && has_task) {
    return add_stack(finding.site, execution.tasks[finding.task].creation_context);
  }
  add_stack(finding.site, has_task ? execution.tasks[finding.task].context : outermost);
  if (finding.kind == OutcomeKind::data_race) {
    add_stack(finding.other_site, static_cast<ContextId>(finding.other_event));
  }
}

void SearchFindings::add_stack(std::uint64_t site, ContextId context) {
  if (site != 0) addresses_.push_back(site);
  for (const std::uint64_t call : program_state.call_listeners.contexts()->calls(context))
    addresses_.push_back(call);
  stack_ends_.push_back(static_cast<std::uint32_t>(addresses_.size()));
}

}  // namespace ricercar::inline worker
