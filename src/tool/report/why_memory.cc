// Why an assertion or the like failed: what the failing thread had read, and which accesses of
// others came in between of what would have to be atomic. After "AVIO: Detecting Atomicity
// Violations via Access Interleaving Invariants" (ASPLOS 2006): of the four cases in which an
// access of another thread between two of one thread's cannot be put before or after both. There
// they are learned from correct runs; here they are looked for among what the failing line has
// read.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "report/build_threads.h"
#include "report/history.h"
#include "report/variable_accesses.h"
#include "report/why.h"
#include "report/why_atomic.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_candidates = 6;
constexpr std::size_t most_looked_at = 5000;

using Access = VariableAccess;

class Failure {
 public:
  explicit Failure(WhyWriter& writer)
      : writer_(writer),
        recording_(writer.recording()),
        task_(recording_.outcome.task),
        accesses_(writer.names()),
        first_creation_(accesses_.first_creation()) {}

  void explain() {
    if (task_ == no_task || recording_.truncated) return;
    if (first_creation_ == recording_.events.size) return;
    find_evidence();
    for (std::size_t i = 0; i < evidence_.size(); ++i) {
      const std::vector<Access>& all = accesses_.of(evidence_[i]);
      const bool is_of_the_line = i < std::max<std::size_t>(of_the_line_, 1);
      if (is_of_the_line && tell_late_wake_up(all, evidence_[i])) return;
      if (is_of_the_line && tell_own(all, evidence_[i])) return;
      if (tell_lost_update(all, evidence_[i])) return;
      if (is_of_the_line && tell_middle(all, evidence_[i])) return;
    }
    if (tell_unnoticed_change() || tell_two_moments()) return;
    for (std::size_t i = 0; i < evidence_.size() && i < std::max<std::size_t>(of_the_line_, 1);
         ++i) {
      if (tell_too_early(evidence_[i]) || tell_origin(evidence_[i])) return;
    }
    tell_stale_use(writer_, accesses_, task_, recording_.events.size);
  }

 private:
  bool is_shared(const std::vector<Access>& all) const {
    return accesses_.is_written_by_others(all, task_);
  }

  // The line, or what it calls.
  bool is_in(const Place& line, const StackRef& stack) {
    if (!line.is_known()) return false;
    const std::vector<Frame> frames = writer_.names().frames(stack);
    return std::any_of(frames.begin(), frames.end(), [&line](const Frame& frame) {
      return frame.is_users && frame.line == line.frame.line && frame.file == line.frame.file;
    });
  }

  // What the failing thread has read last: first all that its last line has, then what came before.
  void find_evidence() {
    const Place failed = failing_place();
    std::vector<std::size_t> before;
    std::size_t looked_at = 0;
    for (std::size_t i = recording_.events.size; i-- > first_creation_;) {
      const Step& step = writer_.step(i);
      if (step.task != task_ || !reads_memory(step)) continue;
      if (++looked_at > most_looked_at || before.size() >= most_candidates) break;
      const std::vector<Access>& all = accesses_.of(i);
      if (all.empty() || !known_.insert(accesses_.key_of(i)).second || !is_evidence(i)) continue;
      if (is_in(failed, writer_.event(i).stack)) {
        evidence_.push_back(i);
      } else if (is_shared(all)) {
        before.push_back(i);
      }
    }
    of_the_line_ = evidence_.size();
    evidence_.insert(evidence_.end(), before.begin(), before.end());
  }

  Place failing_place() {
    const Place place = writer_.names().place(recording_.outcome.stack);
    const bool is_users = place.is_known() && place.frame.is_users;
    return is_users ? place : writer_.names().last_place(task_);
  }

  // Of the program itself, and not a variable of the thread's own: nobody takes a lock for that.
  bool is_evidence(std::size_t read) {
    const std::uint64_t address = writer_.step(read).object;
    const RecordedTask* owner = writer_.names().owner_of_stack(address);
    const bool is_own = owner != nullptr && owner->id == task_ && !is_shared(accesses_.of(read)) &&
                        locks_held_at(recording_, task_, read).empty();
    if (is_own) return false;
    return !writer_.names().is_of_thread_start(address) &&
           !accesses_.unsaid().is_reference_count(address, read) &&
           writer_.names().place(writer_.event(read).stack).frame.is_users;
  }

  std::optional<std::size_t> last_wait(std::size_t from, std::size_t to) const {
    return last_event(recording_, from, to, [this](const Step& step) {
      const Role role = info(step.kind).role;
      return step.task == task_ && (role == Role::joins || role == Role::waits ||
                                    info(step.kind).effect == Effect::wait ||
                                    step.kind == OperationKind::barrier_arrive ||
                                    step.kind == OperationKind::semaphore_wait);
    });
  }

  // A signal has woken the thread; before it goes on somebody else takes what was meant for it.
  bool tell_late_wake_up(const std::vector<Access>& all, std::size_t read) {
    const auto relock = last_event(recording_, 0, read, [this](const Step& step) {
      return step.task == task_ && step.kind == OperationKind::relock;
    });
    if (!relock) return false;
    const auto signal = last_event(recording_, 0, *relock, [this](const Step& step) {
      const bool wakes_it = step.kind == OperationKind::signal &&
                            (step.flags & (step_failed | step_value)) == 0 &&
                            step.value == index(task_);
      return wakes_it || (step.kind == OperationKind::broadcast && step.value != 0);
    });
    if (!signal) return false;
    const TaskId signaller = writer_.step(*signal).task;
    const Access* taken = find_access(all, *signal, *relock, [&](const Access& access) {
      return access.writes && access.task != task_ && access.task != signaller;
    });
    if (taken == nullptr) return false;
    writer_.recognise("late-wake-up");
    const std::string woken = writer_.tell("signals", *signal);
    const std::string took = writer_.tell("writes", taken->event);
    const std::string goes_on = writer_.tell_where("wakes", *relock);
    writer_.say(
        fmt::format("{}. Before {} goes on{}, {}.", woken, writer_.who(task_), goes_on, took));
    writer_.say(fmt::format("{}, without having looked again after it was woken.",
                            writer_.tell("reads", first_read_after(all, *relock, read))));
    return true;
  }

  static std::size_t first_read_after(const std::vector<Access>& all, std::size_t from,
                                      std::size_t read) {
    for (const Access& access : all) {
      if (access.event > from && access.event <= read && access.reads) return access.event;
    }
    return read;
  }

  // The failing thread itself has used it before, and another one has written it since.
  bool tell_own(const std::vector<Access>& all, std::size_t read) {
    const Access* before = find_access(
        all, first_creation_, read, [this](const Access& access) { return access.task == task_; });
    if (before == nullptr || last_wait(before->event, read)) return false;
    const Access* between = find_access(all, before->event, read, [this](const Access& access) {
      return access.writes && access.task != task_;
    });
    if (between == nullptr || is_done_again(writer_, before->event, read)) return false;
    const Access* first = first_of(all, before->event, between->task);
    writer_.recognise(before->writes ? "overwritten" : "changed-between");
    const std::string start = writer_.tell(before->writes ? "writes" : "reads", before->event);
    const std::string change = writer_.tell("writes", first->event);
    writer_.say(
        fmt::format("{}, then {}, and only then {}.", start, change, writer_.tell("reads", read)));
    writer_.say(
        before->writes
            ? fmt::format("Nothing keeps {} out in between.", writer_.who(first->task))
            : fmt::format("The two accesses of {} would have to be atomic.", writer_.who(task_)));
    tell_locks_around(writer_, before->event, first->event, read);
    return true;
  }

  // The first write of a task after an event.
  static const Access* first_of(const std::vector<Access>& all, std::size_t from, TaskId task) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Access& access) {
      return access.event > from && access.task == task && access.writes;
    });
    return found == all.end() ? nullptr : &*found;
  }

  // Two threads read, both write: the value of one is lost. The latest of them before `read`.
  bool tell_lost_update(const std::vector<Access>& all, std::size_t read) {
    for (auto stale = all.rbegin(); stale != all.rend(); ++stale) {
      if (stale->event >= read || !stale->writes || stale->reads) continue;
      const Access* look =
          find_access(all, first_creation_, stale->event,
                      [&](const Access& access) { return access.task == stale->task; });
      if (look == nullptr || look->writes || !look->reads) continue;
      const Access* lost = find_access(all, look->event, stale->event, [&](const Access& access) {
        return access.writes && access.task != stale->task;
      });
      if (lost == nullptr) continue;
      writer_.recognise("lost-update");
      const std::string one = writer_.who(stale->task);
      const std::string other = writer_.who(lost->task);
      const std::string reads = writer_.tell("reads", look->event);
      const std::string overwritten = writer_.tell("writes", lost->event);
      writer_.say(
          fmt::format("{}, then {}, and then {}: it has not seen what {} has written, which "
                      "is lost.",
                      reads, overwritten, writer_.tell("writes", stale->event), other));
      writer_.say(fmt::format("The read and the write of {} would have to be atomic.", one));
      tell_locks_around(writer_, look->event, lost->event, stale->event);
      return true;
    }
    return false;
  }

  // What was read is a value in between of two writes of another thread.
  bool tell_middle(const std::vector<Access>& all, std::size_t read) {
    const Access* before =
        find_access(all, first_creation_, read, [](const Access& access) { return access.writes; });
    if (before == nullptr || before->task == task_) return false;
    const auto after = std::find_if(all.begin(), all.end(), [&](const Access& access) {
      return access.event > read && access.task == before->task && access.writes;
    });
    if (after == all.end()) return false;
    writer_.recognise("value-in-between");
    const std::string first = writer_.tell("writes", before->event);
    const std::string seen = writer_.tell("reads", read);
    writer_.say(
        fmt::format("{}, then {}, before {}.", first, seen, writer_.tell("writes", after->event)));
    writer_.say(
        fmt::format("The two writes of {} would have to be atomic.", writer_.who(before->task)));
    tell_locks_around(writer_, before->event, read, after->event);
    return true;
  }

  // What one was read before another thread has changed both, and the other one after that.
  bool tell_two_moments() {
    for (std::size_t late : evidence_) {
      const Access* seen = last_write(accesses_.of(late), first_creation_, late);
      if (seen == nullptr || seen->task == task_) continue;
      for (std::size_t early : evidence_) {
        if (early >= seen->event) continue;
        const Access* missed = last_write(accesses_.of(early), early, late);
        if (missed == nullptr || missed->task != seen->task || last_wait(early, late)) continue;
        if (writer_.step(missed->event).value == writer_.step(early).value) continue;
        say_two_moments(early, std::min(missed->event, seen->event),
                        std::max(missed->event, seen->event), late);
        return true;
      }
    }
    return false;
  }

  void say_two_moments(std::size_t early, std::size_t first, std::size_t second, std::size_t late) {
    writer_.recognise("two-moments");
    const std::string start = writer_.tell("reads", early);
    const std::string one = writer_.tell("writes", first);
    const std::string two = writer_.tell_what("writes", second);
    writer_.say(fmt::format("{}, then {} and {}, and only then {}.", start, one, two,
                            writer_.tell("reads", late)));
    writer_.say(
        fmt::format("The two reads of {} would have to be atomic: one is from before what "
                    "{} changes, the other one from after it.",
                    writer_.who(task_), writer_.who(writer_.step(first).task)));
    tell_locks_around(writer_, early, first, late);
  }

  static const Access* last_write(const std::vector<Access>& all, std::size_t from,
                                  std::size_t to) {
    return find_access(all, from, to, [](const Access& access) { return access.writes; });
  }

  // Nobody has written what was read; but something else of the writer was seen before.
  bool tell_too_early(std::size_t read) {
    const std::vector<Access>& all = accesses_.of(read);
    const Access* written =
        find_access(all, first_creation_, read, [](const Access& access) { return access.writes; });
    if (written != nullptr) return false;
    for (std::size_t i = read; i-- > first_creation_;) {
      const Step& step = writer_.step(i);
      if (step.task != task_ || !reads_memory(step)) continue;
      const auto seen = last_event(recording_, first_creation_, i, [&](const Step& other) {
        return other.object == step.object && writes_memory(other);
      });
      if (!seen || writer_.step(*seen).task == task_) continue;
      if (writer_.names().is_of_thread_start(step.object)) continue;
      const std::string stored = writer_.tell("writes", *seen);
      const std::string loaded = writer_.tell_what("reads", i);
      writer_.recognise("used-before-written");
      writer_.say(fmt::format("{}, and {} {}; then it {}, which nobody has written {}.", stored,
                              writer_.who(task_), loaded, writer_.tell_what("reads", read),
                              since_when(all)));
      return true;
    }
    const bool is_assertion = recording_.outcome.kind == OutcomeKind::assertion;
    const bool is_written_later = is_shared(all);
    if (!has_others_alive() || !is_assertion || is_written_later) return false;
    writer_.recognise("used-before-written");
    writer_.say(fmt::format("{}, which nobody has written {}.", writer_.tell("reads", read),
                            since_when(all)));
    return true;
  }

  // It may have been made before there were threads.
  std::string since_when(const std::vector<Access>& all) {
    const Access* made =
        find_access(all, 0, first_creation_, [](const Access& access) { return access.writes; });
    const auto first = task_id(static_cast<std::uint32_t>(writer_.step(first_creation_).value));
    return made == nullptr ? "yet" : fmt::format("since {} was created", writer_.who(first));
  }

  bool has_others_alive() const {
    return std::any_of(
        recording_.tasks.begin(), recording_.tasks.end(),
        [this](const RecordedTask& task) { return task.id != task_ && !task.ended; });
  }

  // Whose value it was.
  bool tell_origin(std::size_t read) {
    const std::vector<Access>& all = accesses_.of(read);
    const Access* written =
        find_access(all, first_creation_, read, [](const Access& access) { return access.writes; });
    if (written == nullptr || written->task == task_) return false;
    const Place place = writer_.names().place(writer_.event(written->event).stack);
    if (!place.frame.is_users) return false;
    writer_.recognise("value-of-another");
    const bool is_stale = tell_stale_use(writer_, accesses_, written->task, written->event + 1);
    const std::string writes = writer_.tell("writes", written->event);
    writer_.say(fmt::format("{}{}, and then {}.", is_stale ? "After that " : "", writes,
                            writer_.tell("reads", read)));
    return true;
  }

  // A compare-exchange succeeds although others have changed the value, and changed it back.
  bool tell_unnoticed_change() {
    for (std::size_t i = recording_.events.size; i-- > first_creation_;) {
      const Step& step = writer_.step(i);
      if (step.kind != OperationKind::atomic_compare_exchange || !writes_memory(step)) continue;
      const std::vector<Access>& all = accesses_.of(i);
      const Access* look = find_access(all, first_creation_, i, [&step](const Access& access) {
        return access.task == step.task;
      });
      if (look == nullptr || !look->reads) continue;
      const auto is_change = [&step](const Access& access) {
        return access.writes && access.task != step.task;
      };
      const Access* last = find_access(all, look->event, i, is_change);
      if (last == nullptr) continue;
      const Access* first = find_access(all, look->event, last->event, is_change);
      if (first == nullptr) continue;
      writer_.recognise("changed-back");
      const std::string start = writer_.tell("reads", look->event);
      const std::string one = writer_.tell("writes", first->event);
      const std::string two = writer_.tell("writes", last->event);
      writer_.say(fmt::format("{}, then {} and {}; {}, because the value is the same again.", start,
                              one, two, writer_.tell("writes", i)));
      return true;
    }
    return false;
  }

  WhyWriter& writer_;
  const Recording& recording_;
  TaskId task_;
  VariableAccesses accesses_;
  const std::size_t first_creation_;
  std::vector<std::size_t> evidence_;  // reads of the failing thread, the last one first
  std::size_t of_the_line_ = 0;        // so many of them are in the line that fails
  std::set<std::size_t> known_;
};

}  // namespace

void explain_failure(WhyWriter& writer) { Failure(writer).explain(); }

}  // namespace ricercar::inline report
