#include "report/why_atomic.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/history.h"

namespace ricercar::inline report {

void tell_locks_around(WhyWriter& writer, std::size_t from, std::size_t between, std::size_t to) {
  const Recording& recording = writer.recording();
  const TaskId task = writer.step(from).task;
  const auto at_start = locks_held_at(recording, task, from);
  const auto at_end = locks_held_at(recording, task, to);
  for (const HeldLock& lock : at_start) {
    const bool is_held_again = std::any_of(at_end.begin(), at_end.end(), [&](const auto& other) {
      return other.object == lock.object && other.taken > from;
    });
    const auto back = first_event(recording, from, to, [&](const Step& step) {
      return step.task == task && lock_given_back(step) == lock.object;
    });
    if (!is_held_again || !back) continue;
    writer.say(fmt::format("{} holds {} at both, but gives it back in between{}.", writer.who(task),
                           writer.quoted(lock.object), writer.tell_where("unlocks", *back)));
    return;
  }
  const TaskId other = writer.step(between).task;
  const auto of_other = locks_held_at(recording, other, between);
  const bool has_one = !at_start.empty() && !at_end.empty();
  if (of_other.empty() || (has_one && at_start.front().object == of_other.front().object)) return;
  if (!has_one && (!at_start.empty() || !at_end.empty())) return;
  writer.say(fmt::format("{} holds {} there, {} holds {}.", writer.who(other),
                         writer.quoted(of_other.front().object), writer.who(task),
                         has_one ? writer.quoted(at_start.front().object) : "no lock"));
}

// A function of a library may be called from several lines.
bool is_done_again(WhyWriter& writer, std::size_t one, std::size_t two) {
  const Frame a = writer.names().place(writer.event(one).stack).frame;
  const Frame b = writer.names().place(writer.event(two).stack).frame;
  return writer.step(one).site == writer.step(two).site &&
         writer.step(one).kind == writer.step(two).kind && a.line == b.line && a.file == b.file;
}

namespace {

constexpr std::size_t most_looked_back = 2000;

// What one task looks at, another one changes, and the first one then uses.
struct StaleUse {
  std::size_t look;
  std::size_t change;
  std::size_t use;
};

class StaleUses {
 public:
  StaleUses(WhyWriter& writer, VariableAccesses& accesses, TaskId task, std::size_t end)
      : writer_(writer),
        recording_(writer.recording()),
        accesses_(accesses),
        task_(task),
        end_(end) {}

  // Around the last preemption of the task that has one.
  std::optional<StaleUse> find() {
    for (std::size_t i = end_; i-- > accesses_.first_creation();) {
      if (!is_preempted_at(i)) continue;
      if (const auto found = around(i)) return found;
    }
    return std::nullopt;
  }

 private:
  // Another task goes on there although this one could have.
  bool is_preempted_at(std::size_t event) const {
    if ((writer_.step(event).flags & step_preempts) == 0 || event == 0) return false;
    return writer_.step(event).task != task_ && writer_.step(event - 1).task == task_;
  }

  // The first use after the preemption of what was looked at before.
  std::optional<StaleUse> around(std::size_t preemption) {
    std::optional<StaleUse> first;
    const std::size_t begin = begin_of_work(preemption);
    for (std::size_t look = preemption; look-- > begin;) {
      if (!is_look(look)) continue;
      const auto use = use_after(look, preemption);
      if (use && (!first || use->use < first->use)) first = use;
    }
    return first;
  }

  // What it did before it waited for somebody has to do with that.
  std::size_t begin_of_work(std::size_t preemption) const {
    std::size_t begin = preemption;
    while (begin > accesses_.first_creation() && preemption - begin < most_looked_back) {
      const Step& step = writer_.step(begin - 1);
      const Role role = info(step.kind).role;
      const bool is_wait =
          role == Role::joins || role == Role::waits || info(step.kind).effect == Effect::wait ||
          step.kind == OperationKind::barrier_arrive || step.kind == OperationKind::semaphore_wait;
      if (step.task == task_ && is_wait) break;
      --begin;
    }
    return begin;
  }

  bool is_look(std::size_t event) {
    const Step& step = writer_.step(event);
    return step.task == task_ && reads_memory(step) && !writes_memory(step) &&
           !writer_.names().is_library_data(step.object) && is_of_program(event);
  }

  bool is_of_program(std::size_t event) {
    return writer_.names().place(writer_.event(event).stack).frame.is_users &&
           !writer_.names().is_of_thread_start(writer_.step(event).object) &&
           !accesses_.unsaid().is_reference_count(writer_.step(event).object, event);
  }

  // The next access of the task, if others have changed it by then.
  std::optional<StaleUse> use_after(std::size_t look, std::size_t preemption) {
    const std::vector<VariableAccess>& all = accesses_.of(look);
    const auto use = std::find_if(all.begin(), all.end(), [&](const VariableAccess& access) {
      return access.event > look && access.task == task_;
    });
    if (use == all.end() || use->event < preemption || use->event >= end_) return std::nullopt;
    if (is_done_again(writer_, look, use->event) || !is_of_program(use->event)) return std::nullopt;
    const auto change = std::find_if(all.begin(), use, [&](const VariableAccess& access) {
      return access.event >= preemption && access.task != task_ && access.writes;
    });
    if (change == use) return std::nullopt;
    return StaleUse{look, change->event, preferred_use(all, use->event)};
  }

  // What it writes in the same line says more than what it reads there first.
  std::size_t preferred_use(const std::vector<VariableAccess>& all, std::size_t use) {
    const Place line = writer_.names().place(writer_.event(use).stack);
    for (const VariableAccess& access : all) {
      if (access.event < use || access.event >= end_) continue;
      const Place place = writer_.names().place(writer_.event(access.event).stack);
      const bool is_same_line = access.task == task_ && place.frame.line == line.frame.line &&
                                place.frame.file == line.frame.file;
      if (!is_same_line) break;
      if (access.writes) return access.event;
    }
    return use;
  }

  WhyWriter& writer_;
  const Recording& recording_;
  VariableAccesses& accesses_;
  TaskId task_;
  std::size_t end_;
};

}  // namespace

bool tell_stale_use(WhyWriter& writer, VariableAccesses& accesses, TaskId task, std::size_t end) {
  const auto found = StaleUses(writer, accesses, task, end).find();
  if (!found) return false;
  const std::string look = writer.tell("reads", found->look);
  const std::string change = writer.tell("writes", found->change);
  const bool writes = writes_memory(writer.step(found->use));
  writer.recognise("changed-between");
  writer.say(fmt::format("{}, then {}, and only then {}.", look, change,
                         writer.tell(writes ? "writes" : "reads", found->use)));
  writer.say(fmt::format("The two accesses of {} would have to be atomic.", writer.who(task)));
  tell_locks_around(writer, found->look, found->change, found->use);
  return true;
}

}  // namespace ricercar::inline report
