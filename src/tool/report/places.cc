#include <algorithm>

#include "report/build_threads.h"
#include "report/phrases.h"
#include "report/stuck.h"

namespace ricercar::inline report {
namespace {

class PlaceList {
 public:
  PlaceList(Names& names, bool full) : names_(names), full_(full) {}

  void add(const std::string& role, TaskId task, const StackRef& stack, std::uint64_t site = 0,
           const std::string& what = "") {
    Place place = names_.place(stack);
    if (!place.is_known()) place = names_.place(site);
    places_.push_back({role, task, place, what, names_.calls(stack, full_), false, {}});
  }

  // Where a task was seen last, if the place that was added is not in the user's code.
  void add_last(TaskId task) {
    if (places_.back().place.frame.is_users) return;
    const Place place = names_.last_place(task);
    if (!place.is_known()) return;
    places_.back().role = "after";
    places_.back().place = place;
  }

  std::vector<BugPlace> take() { return std::move(places_); }

 private:
  Names& names_;
  bool full_;
  std::vector<BugPlace> places_;
};

void add_waits(PlaceList& list, const Recording& recording) {
  for (const Waiting& waiting : find_waiting(recording)) {
    const RecordedTask& task = *waiting.task;
    list.add("waits", task.id, task.stack, task.waiting.site);
  }
}

// A task that spins is not offered again before somebody writes, so it counts as blocked, too.
bool spins(const RecordedTask& task) {
  const OperationKind next = task.waiting.kind;
  return !task.blocked || is_memory_access(next) || next == OperationKind::yield ||
         next == OperationKind::try_lock;
}

void add_livelock(PlaceList& list, const Recording& recording) {
  for (const RecordedTask& task : recording.tasks) {
    if (task.ended) continue;
    list.add(spins(task) ? "spins" : "waits", task.id, task.stack, task.waiting.site);
  }
}

void add_release(PlaceList& list, Names& names) {
  const RecordedAllocation* block = names.allocation(names.recording().outcome.object);
  if (block == nullptr || block->freed_by == no_task) return;
  list.add("frees", block->freed_by, block->freed_stack);
}

}  // namespace

std::vector<BugPlace> bug_places(Names& names, bool full) {
  const RecordedOutcome& outcome = names.recording().outcome;
  PlaceList list(names, full);
  switch (outcome.kind) {
    case OutcomeKind::data_race: {
      const std::string other = outcome.other_is_write ? "writes" : "reads";
      list.add(access_verb(outcome), outcome.task, outcome.stack, outcome.site,
               access_phrase(names));
      list.add(other, outcome.other_task, outcome.other_stack, outcome.other_site,
               other + " " + names.object(outcome.object).name);
      break;
    }
    case OutcomeKind::use_after_free:
      list.add(access_verb(outcome), outcome.task, outcome.stack, outcome.site, outcome.message);
      add_release(list, names);
      break;
    case OutcomeKind::deadlock:
      add_waits(list, names.recording());
      break;
    case OutcomeKind::livelock:
      add_livelock(list, names.recording());
      break;
    case OutcomeKind::leak:
      list.add("creates", outcome.task, outcome.stack, outcome.site);
      break;
    default:
      list.add("fails", outcome.task, outcome.stack, outcome.site);
      list.add_last(outcome.task);
      if (outcome.other_stack.size != 0) {
        list.add("destroys", outcome.other_task, outcome.other_stack);
      }
  }
  return list.take();
}

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
