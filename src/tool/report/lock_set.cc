#include "report/lock_set.h"

#include <algorithm>

namespace ricercar::inline report {
namespace {

bool takes(const Step& step) {
  return info(step.kind).role == Role::locks && (step.flags & (step_failed | step_timeout)) == 0;
}

// A lock, or the mutex of a wait; 0: nothing.
std::uint64_t given_back(const Step& step) {
  if (info(step.kind).role == Role::unlocks) return step.object;
  return info(step.kind).touches == Touches::and_its_lock ? step.value : 0;
}

bool is_earlier_access(const RecordedOutcome& outcome, const Step& step) {
  return step.task == outcome.other_task && step.site == outcome.other_site &&
         is_memory_access(step.kind) && step.object <= outcome.object &&
         outcome.object - step.object < std::max<std::uint64_t>(step.size, 1);
}

}  // namespace

std::optional<std::vector<RecordedHold>> locks_of_earlier_access(const Recording& recording) {
  if (recording.truncated) return std::nullopt;
  std::optional<std::vector<RecordedHold>> found;
  std::vector<RecordedHold> held;
  for (const RecordedEvent& event : recording.events) {
    const Step& step = event.step;
    if (step.task != recording.outcome.other_task) continue;
    if (takes(step)) held.push_back({step.object, step.task, event.stack});
    // The last one first: a lock may be held several times.
    const auto last = std::find_if(held.rbegin(), held.rend(), [&](const RecordedHold& hold) {
      return hold.object == given_back(step);
    });
    if (last != held.rend()) held.erase(std::next(last).base());
    if (is_earlier_access(recording.outcome, step)) found = held;
  }
  return found;
}

}  // namespace ricercar::inline report
