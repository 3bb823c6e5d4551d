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
#include "report/why.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t most_candidates = 6;
constexpr std::size_t most_looked_at = 5000;

// Memory is the same if it is one variable: all parts of a container are.
struct Access {
  std::size_t event;
  TaskId task;
  bool reads;
  bool writes;
};

class Failure {
 public:
  explicit Failure(WhyWriter& writer)
      : writer_(writer),
        unshown_names_(writer.recording(), writer.names().symbols()),
        recording_(writer.recording()),
        task_(recording_.outcome.task) {}

  void explain() {
    if (task_ == no_task || recording_.truncated) return;
    find_first_creation();
    if (first_creation_ == recording_.events.size) return;
    group_accesses();
    find_evidence();
    for (std::size_t i = 0; i < evidence_.size(); ++i) {
      const std::vector<Access>& all = accesses_.at(key_of(evidence_[i]));
      const bool is_of_the_line = i < std::max<std::size_t>(of_the_line_, 1);
      if (is_of_the_line && tell_late_wake_up(all, evidence_[i])) return;
      if (is_of_the_line && tell_own(all, evidence_[i])) return;
      if (tell_lost_update(all, evidence_[i])) return;
      if (is_of_the_line && tell_middle(all, evidence_[i])) return;
    }
    if (tell_unnoticed_change()) return;
    for (std::size_t i = 0; i < evidence_.size() && i < std::max<std::size_t>(of_the_line_, 1);
         ++i) {
      if (tell_too_early(evidence_[i]) || tell_origin(evidence_[i])) return;
    }
  }

 private:
  void find_first_creation() {
    first_creation_ = 0;
    const std::size_t count = recording_.events.size;
    while (first_creation_ < count && writer_.step(first_creation_).kind != OperationKind::create) {
      ++first_creation_;
    }
  }

  // The number of what is accessed. All parts of a container are one, unless they are on a stack,
  // where others follow them.
  std::size_t key_of(std::size_t event) {
    const std::uint64_t address = writer_.step(event).object;
    const auto [known, is_new] = keys_.try_emplace(address, keys_.size());
    if (!is_new) return known->second;
    const ObjectName& name = unshown_names_.object(address, event);
    const RecordedTask* owner = writer_.names().owner_of_stack(address);
    if (!name.variable.is_internal) return known->second;
    const std::string text =
        fmt::format("{} {}", owner == nullptr ? 0 : index(owner->id) + 1, name.name);
    known->second = containers_.try_emplace(text, known->second).first->second;
    return known->second;
  }

  void group_accesses() {
    for (std::size_t i = 0; i < recording_.events.size; ++i) {
      const Step& step = writer_.step(i);
      if (!is_memory_access(step.kind) || writer_.names().is_library_data(step.object)) continue;
      accesses_[key_of(i)].push_back({i, step.task, reads_memory(step), writes_memory(step)});
    }
  }

  // Others write it, too.
  bool is_shared(const std::vector<Access>& all) const {
    return std::any_of(all.begin(), all.end(), [this](const Access& access) {
      return access.writes && access.task != task_ && access.event > first_creation_;
    });
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
      const auto found = accesses_.find(key_of(i));
      if (found == accesses_.end() || !known_.insert(key_of(i)).second || !is_evidence(i)) continue;
      if (is_in(failed, writer_.event(i).stack)) {
        evidence_.push_back(i);
      } else if (is_shared(found->second)) {
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

  // Of the program itself, and not a variable of the thread's own.
  bool is_evidence(std::size_t read) {
    const std::uint64_t address = writer_.step(read).object;
    const RecordedTask* owner = writer_.names().owner_of_stack(address);
    if (owner != nullptr && owner->id == task_ && !is_shared(accesses_.at(key_of(read))))
      return false;
    return !writer_.names().is_of_thread_start(address) &&
           !unshown_names_.is_reference_count(address, read) &&
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

  static const Access* find(const std::vector<Access>& all, std::size_t from, std::size_t to,
                            const std::function<bool(const Access&)>& is_wanted) {
    for (auto access = all.rbegin(); access != all.rend(); ++access) {
      if (access->event >= from && access->event < to && is_wanted(*access)) return &*access;
    }
    return nullptr;
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
    const Access* taken = find(all, *signal, *relock, [&](const Access& access) {
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
    const Access* before = find(all, first_creation_, read,
                                [this](const Access& access) { return access.task == task_; });
    if (before == nullptr || last_wait(before->event, read)) return false;
    const Access* between = find(all, before->event, read, [this](const Access& access) {
      return access.writes && access.task != task_;
    });
    if (between == nullptr || is_loop(before->event, read)) return false;
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
    tell_locks(before->event, first->event, read);
    return true;
  }

  // It looks again and again, and expects a change.
  bool is_loop(std::size_t one, std::size_t two) const {
    return writer_.step(one).site == writer_.step(two).site &&
           writer_.step(one).kind == writer_.step(two).kind;
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
      const Access* look = find(all, first_creation_, stale->event,
                                [&](const Access& access) { return access.task == stale->task; });
      if (look == nullptr || look->writes || !look->reads) continue;
      const Access* lost = find(all, look->event, stale->event, [&](const Access& access) {
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
      tell_locks(look->event, lost->event, stale->event);
      return true;
    }
    return false;
  }

  // What was read is a value in between of two writes of another thread.
  bool tell_middle(const std::vector<Access>& all, std::size_t read) {
    const Access* before =
        find(all, first_creation_, read, [](const Access& access) { return access.writes; });
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
    tell_locks(before->event, read, after->event);
    return true;
  }

  // The lock that was held at both ends was given back in between, or only one side has a lock.
  void tell_locks(std::size_t from, std::size_t between, std::size_t to) {
    const TaskId task = writer_.step(from).task;
    const auto at_start = locks_held_at(recording_, task, from);
    const auto at_end = locks_held_at(recording_, task, to);
    for (const HeldLock& lock : at_start) {
      const bool is_held_again = std::any_of(at_end.begin(), at_end.end(), [&](const auto& other) {
        return other.object == lock.object && other.taken > from;
      });
      const auto back = first_event(recording_, from, to, [&](const Step& step) {
        return step.task == task && lock_given_back(step) == lock.object;
      });
      if (!is_held_again || !back) continue;
      writer_.say(fmt::format("{} holds {} at both, but gives it back in between{}.",
                              writer_.who(task), writer_.quoted(lock.object),
                              writer_.tell_where("unlocks", *back)));
      return;
    }
    const TaskId other = writer_.step(between).task;
    const auto of_other = locks_held_at(recording_, other, between);
    const bool has_one = !at_start.empty() && !at_end.empty();
    if (of_other.empty() || (has_one && at_start.front().object == of_other.front().object)) return;
    if (!has_one && (!at_start.empty() || !at_end.empty())) return;
    writer_.say(fmt::format("{} holds {} there, {} holds {}.", writer_.who(other),
                            writer_.quoted(of_other.front().object), writer_.who(task),
                            has_one ? writer_.quoted(at_start.front().object) : "no lock"));
  }

  // Nobody has written what was read; but something else of the writer was seen before.
  bool tell_too_early(std::size_t read) {
    const std::vector<Access>& all = accesses_.at(key_of(read));
    const Access* written =
        find(all, first_creation_, read, [](const Access& access) { return access.writes; });
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
      writer_.say(fmt::format("{}, and {} {}; then {}, which nobody has written yet.", stored,
                              writer_.who(task_), loaded, writer_.tell_what("reads", read)));
      return true;
    }
    const bool is_assertion = recording_.outcome.kind == OutcomeKind::assertion;
    if (!has_others_alive() || !is_assertion) return false;
    writer_.recognise("used-before-written");
    writer_.say(fmt::format("{}, which nobody has written yet.", writer_.tell("reads", read)));
    return true;
  }

  bool has_others_alive() const {
    return std::any_of(
        recording_.tasks.begin(), recording_.tasks.end(),
        [this](const RecordedTask& task) { return task.id != task_ && !task.ended; });
  }

  // Whose value it was.
  bool tell_origin(std::size_t read) {
    const std::vector<Access>& all = accesses_.at(key_of(read));
    const Access* written =
        find(all, first_creation_, read, [](const Access& access) { return access.writes; });
    if (written == nullptr || written->task == task_) return false;
    const Place place = writer_.names().place(writer_.event(written->event).stack);
    if (!place.frame.is_users) return false;
    writer_.recognise("value-of-another");
    const std::string writes = writer_.tell("writes", written->event);
    writer_.say(fmt::format("{}, and then {}.", writes, writer_.tell("reads", read)));
    return true;
  }

  // A compare-exchange succeeds although others have changed the value, and changed it back.
  bool tell_unnoticed_change() {
    for (std::size_t i = recording_.events.size; i-- > first_creation_;) {
      const Step& step = writer_.step(i);
      if (step.kind != OperationKind::atomic_compare_exchange || !writes_memory(step)) continue;
      const std::vector<Access>& all = accesses_.at(key_of(i));
      const Access* look = find(all, first_creation_, i,
                                [&step](const Access& access) { return access.task == step.task; });
      if (look == nullptr || !look->reads) continue;
      const auto is_change = [&step](const Access& access) {
        return access.writes && access.task != step.task;
      };
      const Access* last = find(all, look->event, i, is_change);
      if (last == nullptr) continue;
      const Access* first = find(all, look->event, last->event, is_change);
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
  Names unshown_names_;  // for what is not said: blocks are numbered when they are first named
  const Recording& recording_;
  TaskId task_;
  std::size_t first_creation_ = 0;
  std::unordered_map<std::uint64_t, std::size_t> keys_;  // by the address
  std::map<std::string, std::size_t> containers_;
  std::unordered_map<std::size_t, std::vector<Access>> accesses_;  // by the key
  std::vector<std::size_t> evidence_;  // reads of the failing thread, the last one first
  std::size_t of_the_line_ = 0;        // so many of them are in the line that fails
  std::set<std::size_t> known_;
};

}  // namespace

void explain_failure(WhyWriter& writer) { Failure(writer).explain(); }

}  // namespace ricercar::inline report
