// What the steps of threads owe to each other, by the rules of C++ and POSIX for what the recording
// shows: creation and join, locks, wake-ups, semaphores, barriers, atomics with release and
// acquire, fences. What a `call_once` or the C library itself puts in order inside of one step is
// seen as far as there are steps of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "report/build_threads.h"
#include "report/detail_builder.h"
#include "report/phrases.h"
#include "report/style.h"

namespace ricercar::inline report {
namespace {

using Event = std::size_t;  // its index in the recording
using EventOfTask = std::map<TaskId, Event>;

bool is_release(std::uint8_t order) { return order >= 3 && order <= 5; }
bool is_acquire(std::uint8_t order) { return order == 1 || order == 2 || order == 4 || order == 5; }

bool is_for_reading(OperationKind kind) {
  return kind == OperationKind::read_lock || kind == OperationKind::try_read_lock ||
         kind == OperationKind::timed_read_lock;
}

bool is_wait(OperationKind kind) {
  return kind == OperationKind::wait || kind == OperationKind::timed_wait ||
         kind == OperationKind::futex_wait || kind == OperationKind::futex_timed_wait;
}

// Which row of the report an event is, or is next to.
class Rows {
 public:
  Rows(const Array<RecordedEvent>& events, const std::vector<ReportStep>& steps)
      : events_(events), steps_(steps) {
    for (std::size_t row = 0; row < steps.size(); ++row) {
      if (steps[row].event != 0) rows_.emplace_back(steps[row].event - 1, row);
      by_lane_[steps[row].lane].push_back(row);
    }
  }

  // The first one that does not come before the event; where the execution ended if there is none.
  std::size_t at(Event event) const {
    const auto found =
        std::lower_bound(rows_.begin(), rows_.end(), std::pair(event, std::size_t{0}));
    if (found != rows_.end()) return found->second;
    return steps_.empty() ? 0 : steps_.size() - 1;
  }
  // Of the same lane: this one or the one before, this one or the one after.
  std::optional<std::size_t> before(Event event) const {
    const std::vector<std::size_t>& rows = of_lane(event);
    auto found = from(rows, event);
    if (found != rows.end() && steps_[*found].event == event + 1) return *found;
    return found == rows.begin() ? std::nullopt : std::optional(*std::prev(found));
  }
  std::optional<std::size_t> after(Event event) const {
    const std::vector<std::size_t>& rows = of_lane(event);
    const auto found = from(rows, event);
    return found == rows.end() ? std::nullopt : std::optional(*found);
  }
  // Of a lane, its first and its last.
  std::optional<std::size_t> first(TaskId lane) const {
    const auto found = by_lane_.find(lane);
    return found == by_lane_.end() ? std::nullopt : std::optional(found->second.front());
  }
  std::optional<std::size_t> last(TaskId lane) const {
    const auto found = by_lane_.find(lane);
    return found == by_lane_.end() ? std::nullopt : std::optional(found->second.back());
  }

 private:
  const std::vector<std::size_t>& of_lane(Event event) const {
    static const std::vector<std::size_t> none;
    const auto found = by_lane_.find(events_[event].step.task);
    return found == by_lane_.end() ? none : found->second;
  }
  // What ended the execution is no event, and comes last.
  std::vector<std::size_t>::const_iterator from(const std::vector<std::size_t>& rows,
                                                Event event) const {
    return std::partition_point(rows.begin(), rows.end(), [&](std::size_t row) {
      return steps_[row].event != 0 && steps_[row].event <= event;
    });
  }

  const Array<RecordedEvent>& events_;
  const std::vector<ReportStep>& steps_;
  std::vector<std::pair<Event, std::size_t>> rows_;
  std::map<TaskId, std::vector<std::size_t>> by_lane_;
};

// A lock as its steps show it.
struct LockState {
  TaskId owner = no_task;
  std::uint32_t depth = 0;
  std::vector<TaskId> readers;
  std::optional<Event> given;           // exclusively held before
  std::vector<Event> given_by_readers;  // since then
};

// A place in memory: who has written it last, and what a reader synchronises with.
struct CellState {
  std::optional<Event> written;
  std::vector<Event> releases;
  std::vector<TaskId> has_read;  // since then
};

class Relations {
 public:
  Relations(Names& names, const std::vector<ReportStep>& steps)
      : names_(names),
        events_(names.recording().events),
        steps_(steps),
        rows_(names.recording().events, steps) {}

  ReportDetail build() {
    for (Event event = 0; event < events_.size; ++event) {
      builder_.at(rows_.at(event));
      look_at(event, events_[event].step);
    }
    for (std::size_t row = 0; row < steps_.size(); ++row) {
      builder_.at(row);
      add_end(row);
    }
    add_values();
    ReportDetail detail = in_order(builder_.finish(steps_.size()));
    add_choices(detail);
    return detail;
  }

 private:
  void look_at(Event event, const Step& step) {
    wake_up(event, step);
    switch (info(step.kind).role) {
      case Role::creates:
        builder_.link(LinkKind::creates, rows_.before(event),
                      rows_.first(task_id(static_cast<std::uint32_t>(step.value))));
        break;
      case Role::joins:
        join(event, step);
        break;
      case Role::locks:
        lock(event, step);
        break;
      case Role::unlocks:
        unlock(event, step.object, step.task);
        break;
      case Role::wakes_one:
      case Role::wakes_all:
        notify(event, step);
        break;
      default:
        look_at_rest(event, step);
    }
  }

  void look_at_rest(Event event, const Step& step) {
    if (is_wait(step.kind)) return wait(event, step);
    if (is_memory_access(step.kind)) return access(event, step);
    switch (step.kind) {
      case OperationKind::futex_wake:
        return notify(event, step);
      case OperationKind::fence:
        return fence(event, step);
      case OperationKind::semaphore_post:
      case OperationKind::barrier_arrive:
        return give_to_all(event, step);
      case OperationKind::semaphore_wait:
      case OperationKind::semaphore_try_wait:
      case OperationKind::semaphore_timed_wait:
      case OperationKind::barrier_leave:
        return take_from_all(event, step);
      case OperationKind::once:
        take_from_all(event, step);
        return give_to_all(event, step);
      default:
        return;
    }
  }

  void join(Event event, const Step& step) {
    if ((step.flags & (step_failed | step_timeout)) != 0) return;
    builder_.link(LinkKind::joins, rows_.last(task_id(static_cast<std::uint32_t>(step.object))),
                  rows_.after(event));
  }

  // --- Locks ---

  void lock(Event event, const Step& step) {
    if ((step.flags & (step_failed | step_timeout)) != 0) return;
    LockState& lock = locks_[step.object];
    const bool is_shared = is_for_reading(step.kind);
    follow(event, lock.given);
    if (is_shared) {
      lock.readers.push_back(step.task);
    } else {
      for (const Event given : lock.given_by_readers) follow(event, given);
      lock.depth = lock.owner == step.task ? lock.depth + 1 : 1;
      lock.owner = step.task;
    }
    const std::string& name = names_.object(step.object, event).name;
    builder_.take(step.task, step.object, name, is_shared);
    show(step.object, name, lock);
  }

  void unlock(Event event, std::uint64_t object, TaskId task) {
    LockState& lock = locks_[object];
    const auto reader = std::find(lock.readers.begin(), lock.readers.end(), task);
    if (reader != lock.readers.end()) {
      lock.readers.erase(reader);
      lock.given_by_readers.push_back(event);
    } else {
      if (lock.owner != task || --lock.depth > 0) return show(object, name(object, event), lock);
      lock.owner = no_task;
      lock.given = event;
      lock.given_by_readers.clear();
    }
    const bool still_reads =
        std::find(lock.readers.begin(), lock.readers.end(), task) != lock.readers.end();
    if (!still_reads) builder_.give(task, object);
    show(object, name(object, event), lock);
  }

  void show(std::uint64_t object, const std::string& name, const LockState& lock) {
    std::string value = lock.owner == no_task ? "" : Names::task(lock.owner);
    if (lock.owner != no_task && lock.depth > 1) value += fmt::format(" ({} times)", lock.depth);
    for (const TaskId reader : lock.readers) {
      value += (value.empty() ? "read by " : ", ") + Names::task(reader);
    }
    builder_.set({"lock", object}, name, value.empty() ? "free" : value);
  }

  // --- Waiting and waking ---

  void wait(Event event, const Step& step) {
    if ((step.flags & step_failed) != 0) return;
    const bool gives_lock =
        step.kind == OperationKind::wait || step.kind == OperationKind::timed_wait;
    if (gives_lock && step.value != 0) unlock_for_wait(event, step);
    waiters_[step.object].push_back(step.task);
    waits_on_[step.task] = step.object;
    show_waiters(step.object, event);
  }

  // All of a lock that is held several times.
  void unlock_for_wait(Event event, const Step& step) {
    LockState& lock = locks_[step.value];
    if (lock.owner == step.task) lock.depth = 1;
    unlock(event, step.value, step.task);
  }

  void notify(Event event, const Step& step) {
    const std::vector<TaskId>& waiting = waiters_[step.object];
    if (step.kind == OperationKind::signal) {
      if ((step.flags & (step_failed | step_value)) != 0) return;
      woken_by_[task_id(static_cast<std::uint32_t>(step.value))] = event;
      return;
    }
    if (step.value == 0) return;
    for (const TaskId each : waiting) woken_by_.insert_or_assign(each, event);
  }

  // The first thing that a task does after it has waited shows that it was woken.
  void wake_up(Event event, const Step& step) {
    const auto waits = waits_on_.find(step.task);
    if (waits == waits_on_.end() || is_choice_of_waiter(step)) return;
    const std::uint64_t object = waits->second;
    waits_on_.erase(waits);
    std::erase(waiters_[object], step.task);
    show_waiters(object, event);
    const auto woken = woken_by_.find(step.task);
    if (woken == woken_by_.end()) return;
    const bool is_woken = (step.flags & (step_timeout | step_spurious)) == 0;
    if (is_woken) builder_.link(LinkKind::wakes, rows_.before(woken->second), rows_.after(event));
    woken_by_.erase(woken);
  }

  static bool is_choice_of_waiter(const Step& step) { return (step.flags & step_value) != 0; }

  void show_waiters(std::uint64_t object, Event event) {
    std::vector<std::string> names;
    for (const TaskId each : waiters_[object]) names.push_back(Names::task(each));
    builder_.set({"wait", object}, name(object, event), fmt::format("{}", fmt::join(names, ", ")));
  }

  // --- Semaphores, barriers, one-time calls: who takes comes after all who have given ---

  void give_to_all(Event event, const Step& step) { given_[step.object][step.task] = event; }

  void take_from_all(Event event, const Step& step) {
    if ((step.flags & (step_failed | step_timeout)) != 0) return;
    for (const auto& [task, given] : given_[step.object]) follow(event, given);
  }

  // --- Memory ---

  void access(Event event, const Step& step) {
    CellState& cell = cells_[step.object];
    const std::uint8_t order = events_[event].order;
    const bool is_failed = (step.flags & step_failed) != 0;
    const bool writes = access_of(step.kind) == Access::write && !is_failed;
    const bool reads =
        step.kind != OperationKind::write && step.kind != OperationKind::atomic_store;
    if (reads) read(event, step, cell, order);
    if (writes) write(event, step, cell, order, reads);
  }

  void read(Event event, const Step& step, CellState& cell, std::uint8_t order) {
    if (order != RecordedEvent::no_order && is_acquire(order)) {
      for (const Event release : cell.releases) {
        synchronise(release, event);
      }
    } else {
      read_before_fence_[step.task].insert(cell.releases.begin(), cell.releases.end());
    }
    const bool is_new =
        std::find(cell.has_read.begin(), cell.has_read.end(), step.task) == cell.has_read.end();
    const bool is_others = cell.written && events_[*cell.written].step.task != step.task;
    if (!is_new || !is_others) return;
    cell.has_read.push_back(step.task);
    builder_.link(LinkKind::reads, rows_.before(*cell.written), rows_.after(event));
  }

  // An update goes on with the release sequence that it reads. What a task has released before its
  // last release, or has acquired before it, is in that one.
  void write(Event event, const Step& step, CellState& cell, std::uint8_t order, bool is_update) {
    const bool is_atomic = order != RecordedEvent::no_order;
    const bool releases = is_atomic && is_release(order);
    const bool includes_all = releases && is_acquire(order);
    if (!is_update || includes_all) cell.releases.clear();
    const auto fence = fences_.find(step.task);
    if (releases) {
      add_release(cell, event);
    } else if (is_atomic && fence != fences_.end()) {
      add_release(cell, fence->second);
    }
    cell.written = event;
    cell.has_read.clear();
  }

  void add_release(CellState& cell, Event event) {
    std::erase_if(cell.releases,
                  [&](Event each) { return events_[each].step.task == events_[event].step.task; });
    cell.releases.push_back(event);
  }

  void fence(Event event, const Step& step) {
    for (const Event release : read_before_fence_[step.task]) synchronise(release, event);
    read_before_fence_[step.task].clear();
    fences_[step.task] = event;
  }

  void synchronise(Event release, Event event) {
    if (events_[release].step.task == events_[event].step.task) return;
    builder_.link(LinkKind::synchronises, rows_.before(release), rows_.after(event));
  }

  // --- What is shown besides ---

  void follow(Event event, std::optional<Event> given) {
    if (!given || events_[*given].step.task == events_[event].step.task) return;
    builder_.link(LinkKind::hands_over, rows_.before(*given), rows_.after(event));
  }

  const std::string& name(std::uint64_t object, Event event) {
    return names_.object(object, event).name;
  }

  // Where the execution ended: who waits for what, and the access that the last one races with.
  void add_end(std::size_t row) {
    if (!steps_[row].is_outcome) return;
    const RecordedOutcome& outcome = names_.recording().outcome;
    if (outcome.kind == OutcomeKind::data_race) {
      builder_.link(LinkKind::races, earlier_access(outcome), row);
    }
    if (outcome.kind != OutcomeKind::deadlock) return;
    for (const RecordedTask& task : names_.recording().tasks) {
      if (!task.blocked || task.id != steps_[row].lane || steps_[row].object.empty()) continue;
      const bool is_known = waits_on_.contains(task.id);
      if (is_known) continue;
      waiters_[task.waiting.object].push_back(task.id);
      show_waiters(task.waiting.object, events_.size == 0 ? 0 : events_.size - 1);
    }
  }

  std::optional<std::size_t> earlier_access(const RecordedOutcome& outcome) const {
    for (Event event = events_.size; event-- > 0;) {
      const Step& step = events_[event].step;
      const bool overlaps = step.object < outcome.object + 8 &&
                            outcome.object < step.object + std::max<std::uint64_t>(step.size, 1);
      const bool is_it = step.task == outcome.other_task && overlaps &&
                         (step.site == outcome.other_site || is_memory_access(step.kind));
      if (is_it) return rows_.before(event);
    }
    return std::nullopt;
  }

  // Variables, as the steps say.
  void add_values() {
    for (std::size_t row = 0; row < steps_.size(); ++row) {
      const ReportStep& step = steps_[row];
      if (step.event == 0) continue;
      const Step& event = events_[step.event - 1].step;
      const bool has_value =
          is_memory_access(event.kind) || event.kind == OperationKind::semaphore_post;
      if (!has_value || step.value.empty()) continue;
      builder_.at(row);
      builder_.set({"variable", event.object}, step.object, step.value);
    }
  }

  // Both are in the order of the steps. What was decided is seen where the step is.
  void add_choices(ReportDetail& detail) {
    const Recording& recording = names_.recording();
    Event event = 0;
    for (const RecordedChoice& choice : recording.choices) {
      while (event < events_.size && !is_step(event, choice.step)) ++event;
      ReportChoice& shown = detail.choices.emplace_back();
      shown.step = rows_.at(event);
      shown.number = detail.choices.size() - 1;
      shown.chosen = choice.chosen;
      for (std::uint32_t i = 0; i < choice.count; ++i) {
        const TaskOperation& option = recording.options[choice.first + i];
        shown.options.push_back({option.task, words_of(option, choice, i)});
      }
    }
  }

  bool is_step(Event event, std::uint64_t step) const {
    const RecordedEvent& found = events_[event];
    return found.step_index == step && (!is_plain(found.step) || found.step.options > 0);
  }

  std::string words_of(const TaskOperation& option, const RecordedChoice& choice,
                       std::uint32_t alternative) {
    const Operation& operation = option.operation;
    std::string text = info(operation.kind).words;
    const bool has_name = operation.object != 0 && !is_file_call(operation.kind);
    const bool is_about_task = info(operation.kind).role == Role::joins;
    if (is_about_task) {
      text += " " + Names::task(task_id(static_cast<std::uint32_t>(operation.object)));
    } else if (has_name) {
      text += " " + name(operation.object, events_.size == 0 ? 0 : events_.size - 1);
    }
    if (choice.is_value) text += fmt::format(": {} of {}", alternative + 1, choice.count);
    const Place place = operation.site == 0 ? Place{} : names_.place(operation.site);
    return place.is_known() && place.frame.is_users ? text + " at " + place.file_and_line() : text;
  }

  static ReportDetail in_order(ReportDetail detail) {
    std::stable_sort(detail.changes.begin(), detail.changes.end(),
                     [](const auto& a, const auto& b) { return a.step < b.step; });
    return detail;
  }

  Names& names_;
  const Array<RecordedEvent>& events_;
  const std::vector<ReportStep>& steps_;
  Rows rows_;
  DetailBuilder builder_;
  std::unordered_map<std::uint64_t, LockState> locks_;
  std::unordered_map<std::uint64_t, CellState> cells_;
  std::unordered_map<std::uint64_t, std::vector<TaskId>> waiters_;
  std::unordered_map<std::uint64_t, EventOfTask> given_;
  std::map<TaskId, std::uint64_t> waits_on_;
  EventOfTask woken_by_;
  EventOfTask fences_;
  std::map<TaskId, std::set<Event>> read_before_fence_;
};

}  // namespace

ReportDetail detail_of_threads(Names& names, const std::vector<ReportStep>& steps) {
  return Relations(names, steps).build();
}

}  // namespace ricercar::inline report
