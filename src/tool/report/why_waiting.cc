// Why threads wait for ever: locks in different orders, wake-ups that found nobody, permits that
// were not given back, loops for what nobody does.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "report/build_threads.h"
#include "report/history.h"
#include "report/phrases.h"
#include "report/stuck.h"
#include "report/style.h"
#include "report/variable_accesses.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

bool waits_for_signal(const Operation& waiting) {
  return waiting.kind == OperationKind::wait || waiting.kind == OperationKind::timed_wait ||
         waiting.kind == OperationKind::wake;
}

bool waits_for_semaphore(const Operation& waiting) {
  return waiting.kind == OperationKind::semaphore_wait;
}

bool waits_at_barrier(const Operation& waiting) {
  return waiting.kind == OperationKind::barrier_arrive ||
         waiting.kind == OperationKind::barrier_leave;
}

bool is_once(const Operation& waiting) { return waiting.kind == OperationKind::once; }

constexpr std::size_t most_looks = 6;  // before a wait

class Deadlock {
 public:
  explicit Deadlock(WhyWriter& writer) : writer_(writer), recording_(writer.recording()) {}

  void explain() {
    if (recording_.truncated) return;
    const std::vector<Waiting> all = find_waiting(recording_);
    tell_circle(all);
    for (const Waiting& waiting : all) tell_wait(*waiting.task);
    if (!writer_.has_recognised()) tell_waits_with_locks(all);
  }

 private:
  void tell_wait(const RecordedTask& task) {
    if (writer_.names().is_futex(task.waiting.object)) {
      tell_unnotified_word(task);
    } else if (waits_for_signal(task.waiting)) {
      tell_lost_signal(task);
    } else if (waits_for_semaphore(task.waiting)) {
      tell_missing_posts(task);
    } else if (waits_at_barrier(task.waiting)) {
      tell_missing_arrivals(task);
    } else if (is_once(task.waiting)) {
      tell_unfinished_call(task);
    } else {
      tell_lock_of_ended(task);
    }
  }

  void tell_unfinished_call(const RecordedTask& task) {
    const auto call = last_event(recording_, 0, recording_.events.size, [&](const Step& step) {
      return step.kind == OperationKind::once && step.object == task.waiting.object &&
             step.task != task.id;
    });
    if (!call) return;
    writer_.recognise("circle");
    writer_.say(fmt::format("{} and has not come back from that; {} {}.",
                            writer_.tell("calls", *call), writer_.who(task.id), wait_of(task)));
  }

  void tell_lock_of_ended(const RecordedTask& task) {
    for (const RecordedTask& owner : recording_.tasks) {
      if (!owner.ended) continue;
      const auto lock = taken(owner.id, task.waiting.object);
      if (!lock) continue;
      writer_.recognise("lock-kept");
      writer_.say(fmt::format("{} and ends without giving it back; {} {}.",
                              writer_.tell("locks", *lock), writer_.who(task.id), wait_of(task)));
    }
  }

  std::string wait_of(const RecordedTask& task) {
    const std::string place =
        writer_.tell_place("waits", task.id, waiting_phrase(writer_.names(), task.waiting),
                           writer_.names().place_of_wait(task));
    return waiting_phrase(writer_.names(), task.waiting, "`") + place;
  }

  // Where it has taken something that it still holds.
  std::optional<std::size_t> taken(TaskId task, std::uint64_t object) {
    for (const HeldLock& lock : locks_held_at(recording_, task, recording_.events.size)) {
      if (lock.object == object) return lock.taken;
    }
    return std::nullopt;
  }

  // Those that wait for each other come first; each for the next one, the last for the first.
  static std::size_t circle_size(const std::vector<Waiting>& all) {
    std::size_t size = 0;
    while (size < all.size() && !all[size].for_tasks.empty()) {
      const TaskId next = all[size++].for_tasks.front();
      if (next == all.front().task->id) return size;
      if (size == all.size() || all[size].task->id != next) return 0;
    }
    return 0;
  }

  void tell_circle(const std::vector<Waiting>& all) {
    const std::size_t size = circle_size(all);
    if (size == 0) return;
    std::vector<std::string> words;
    bool only_locks = true;
    for (std::size_t i = 0; i < size; ++i) {
      // What the one before waits for.
      const Waiting& before = all[(i + size - 1) % size];
      const TaskId task = all[i].task->id;
      const auto lock = taken(task, before.task->waiting.object);
      only_locks = only_locks && lock.has_value();
      const std::string start =
          lock ? writer_.tell("locks", *lock) + " and then " : writer_.who(task) + " ";
      words.push_back(start + wait_of(*all[i].task));
    }
    writer_.recognise(size == 1 ? "taken-twice" : only_locks ? "lock-order" : "circle");
    const std::string story = fmt::format("{}", fmt::join(words, "; "));
    if (size == 1) {
      writer_.say(story + ", which it has not given back.");
    } else if (only_locks) {
      writer_.say(story + (size == 2 ? ": they take the two in opposite orders."
                                     : ": each takes one that the next has to give back first."));
    } else {
      writer_.say(story + ": each waits for the other.");
    }
  }

  // Who waits for something else than a lock, and keeps one that others wait for.
  void tell_waits_with_locks(const std::vector<Waiting>& all) {
    for (const Waiting& owner : all) {
      for (const Waiting& other : all) {
        const auto lock = taken(owner.task->id, other.task->waiting.object);
        if (!lock || other.task == owner.task) continue;
        writer_.recognise("waits-with-lock");
        const std::string start = writer_.tell("locks", *lock);
        const std::string end = wait_of(*owner.task);
        writer_.say(fmt::format("{} and then {}; {} {}, so it can do nothing about that.", start,
                                end, writer_.who(other.task->id), wait_of(*other.task)));
      }
    }
  }

  std::size_t wait_event(const RecordedTask& task) {
    const auto found = last_event(recording_, 0, recording_.events.size, [&](const Step& step) {
      return step.task == task.id && step.object == task.waiting.object &&
             (step.kind == OperationKind::wait || step.kind == OperationKind::timed_wait);
    });
    return found.value_or(recording_.events.size);
  }

  void tell_lost_signal(const RecordedTask& task) {
    const std::size_t end = recording_.events.size;
    const std::size_t waits = wait_event(task);
    if (waits == end) return;
    const auto is_signal = [&](const Step& step) {
      const bool is_second = step.kind == OperationKind::signal && (step.flags & step_value) != 0;
      return step.object == task.waiting.object && !is_second &&
             (step.kind == OperationKind::signal || step.kind == OperationKind::broadcast);
    };
    const auto later = last_event(recording_, waits, end, is_signal);
    const auto earlier = last_event(recording_, 0, waits, [&](const Step& step) {
      return is_signal(step) && step.task != task.id;
    });
    const bool is_own = last_event(recording_, 0, waits, is_signal) && !earlier;
    if (later) {
      tell_taken_signal(task, waits, *later);
    } else if (earlier && tell_woken_in_vain(task, waits, *earlier)) {
      return;
    } else if (is_own) {
      writer_.recognise("no-signal");
      writer_.say(
          fmt::format("{}, and nobody signals it after that.", writer_.tell("waits", waits)));
    } else if (earlier) {
      tell_early_signal(task, waits, *earlier);
    } else {
      writer_.recognise("no-signal");
      writer_.say(fmt::format("{}, and nobody ever signals it in this execution.",
                              writer_.tell("waits", waits)));
    }
    tell_unseen_change(task, waits);
  }

  // The signal has woken it, but before it goes on somebody changes again what it waits for.
  bool tell_woken_in_vain(const RecordedTask& task, std::size_t waits, std::size_t signal) {
    const auto wakes = last_event(recording_, signal, waits, [&task](const Step& step) {
      return step.task == task.id && step.kind == OperationKind::relock;
    });
    if (!wakes) return false;
    VariableAccesses accesses(writer_.names());
    for (std::size_t i = *wakes; i < waits; ++i) {
      const Step& look = writer_.step(i);
      if (look.task != task.id || !reads_memory(look)) continue;
      const VariableAccess* change =
          find_access(accesses.of(i), signal, *wakes,
                      [&](const auto& access) { return access.writes && access.task != task.id; });
      if (change == nullptr || !is_users(change->event)) continue;
      writer_.recognise("woken-in-vain");
      const std::string woken = writer_.tell("signals", signal);
      const std::string changed = writer_.tell("writes", change->event);
      const std::string goes_on = writer_.tell_where("wakes", *wakes);
      writer_.say(fmt::format("{}. Before {} goes on{}, {}.", woken, writer_.who(task.id), goes_on,
                              changed));
      const std::string looks = writer_.tell("reads", i);
      writer_.say(fmt::format("{} and waits again{}; nobody signals after that.", looks,
                              writer_.tell_where("waits", waits)));
      return true;
    }
    return false;
  }

  void tell_early_signal(const RecordedTask& task, std::size_t waits, std::size_t signal) {
    writer_.recognise("lost-wake-up");
    const std::string signalled = writer_.tell("signals", signal);
    writer_.say(fmt::format("{}, but {} waits only after that{}, and nobody signals again.",
                            signalled, writer_.who(task.id), writer_.tell_where("waits", waits)));
  }

  void tell_taken_signal(const RecordedTask& task, std::size_t waits, std::size_t signal) {
    const Step& step = writer_.step(signal);
    if (step.kind != OperationKind::signal || step.value == index(task.id)) return;
    writer_.recognise("signal-for-another");
    writer_.say(fmt::format("{}; the last signal after that goes to another thread: {}.",
                            writer_.tell("waits", waits), writer_.tell("signals", signal)));
    const RecordedTask* woken =
        task_of(recording_, task_id(static_cast<std::uint32_t>(step.value)));
    tell_unsignalled_change(task, waits, signal);
    if (woken == nullptr || !woken->ended) return;
    writer_.say(
        fmt::format("{} has been woken by that and has ended; it has not signalled {} in "
                    "between.",
                    writer_.who(woken->id), writer_.quoted(step.object)));
  }

  // What the thread waits for is what it has looked at last.
  void tell_unsignalled_change(const RecordedTask& task, std::size_t waits, std::size_t signal) {
    VariableAccesses accesses(writer_.names());
    std::size_t looks = 0;
    for (std::size_t i = waits; i-- > 0 && looks < most_looks;) {
      const Step& look = writer_.step(i);
      if (look.task != task.id) continue;
      if (info(look.kind).role == Role::waits || info(look.kind).role == Role::locks) return;
      if (!reads_memory(look) || accesses.of(i).empty()) continue;
      ++looks;
      const VariableAccess* change =
          find_access(accesses.of(i), signal, recording_.events.size,
                      [&](const auto& access) { return access.writes && access.task != task.id; });
      if (change == nullptr || !is_users(change->event)) continue;
      const std::string look_words = writer_.tell("reads", i);
      writer_.say(
          fmt::format("Before it waits, {}; the last change of that comes after the signal: "
                      "{}, and nobody signals after that.",
                      look_words, writer_.tell("writes", change->event)));
      return;
    }
  }

  bool is_users(std::size_t event) {
    return writer_.names().place(writer_.event(event).stack).frame.is_users;
  }

  // What the thread has looked at before it waits, and somebody has changed in between.
  void tell_unseen_change(const RecordedTask& task, std::size_t waits) {
    std::size_t looks = 0;
    for (std::size_t i = waits; i-- > 0 && looks < most_looks;) {
      const Step& look = writer_.step(i);
      if (look.task != task.id) continue;
      if (info(look.kind).role == Role::waits) return;
      looks += reads_memory(look) ? 1 : 0;
      if (!reads_memory(look) || writer_.names().is_library_data(look.object)) continue;
      const auto change = first_event(recording_, i, waits, [&](const Step& step) {
        return step.task != task.id && step.object == look.object && writes_memory(step);
      });
      if (!change) continue;
      writer_.say(fmt::format("Before it waits, {}; then {}, which it does not see.",
                              writer_.tell("reads", i), writer_.tell("writes", *change)));
      tell_missing_lock(writer_.step(waits).value, *change);
      return;
    }
  }

  void tell_missing_lock(std::uint64_t mutex, std::size_t change) {
    const TaskId task = writer_.step(change).task;
    const auto held = locks_held_at(recording_, task, change);
    const bool has_it = std::any_of(held.begin(), held.end(),
                                    [&](const HeldLock& lock) { return lock.object == mutex; });
    if (has_it || mutex == 0) return;
    writer_.say(fmt::format("{} does not hold {} when it changes that.", writer_.who(task),
                            writer_.quoted(mutex)));
  }

  static bool takes_permit(const Step& step) {
    return step.kind == OperationKind::semaphore_wait ||
           ((step.kind == OperationKind::semaphore_try_wait ||
             step.kind == OperationKind::semaphore_timed_wait) &&
            (step.flags & (step_failed | step_timeout)) == 0);
  }

  // Who has taken from the semaphore last, has ended, and has not posted after that.
  void tell_missing_posts(const RecordedTask& waiting) {
    const std::uint64_t semaphore = waiting.waiting.object;
    for (const RecordedTask& task : recording_.tasks) {
      if (!task.ended) continue;
      const auto take = last_event(recording_, 0, recording_.events.size, [&](const Step& step) {
        return step.task == task.id && step.object == semaphore && takes_permit(step);
      });
      if (!take) continue;
      const auto post = first_event(recording_, *take, recording_.events.size, [&](const Step& s) {
        return s.task == task.id && s.object == semaphore &&
               s.kind == OperationKind::semaphore_post;
      });
      if (post) continue;
      writer_.recognise("permit-kept");
      writer_.say(fmt::format("{} and ends without posting to it again; {} {}.",
                              writer_.tell("takes", *take), writer_.who(waiting.id),
                              wait_of(waiting)));
    }
  }

  // The last that arrived, after which nobody else does.
  void tell_missing_arrivals(const RecordedTask& waiting) {
    const auto arrival = last_event(recording_, 0, recording_.events.size, [&](const Step& step) {
      return step.object == waiting.waiting.object && step.kind == OperationKind::barrier_arrive;
    });
    if (!arrival || has_told_barrier_) return;
    has_told_barrier_ = true;
    writer_.recognise("missing-arrival");
    writer_.say(fmt::format("{}, and nobody arrives there after that; {} {}.",
                            writer_.tell("arrives", *arrival), writer_.who(waiting.id),
                            wait_of(waiting)));
    for (const RecordedTask& task : recording_.tasks) {
      if (!task.ended || task.creator == no_task) continue;
      const auto own = last_event(recording_, 0, recording_.events.size, [&](const Step& step) {
        return step.task == task.id && step.object == waiting.waiting.object;
      });
      if (own) continue;
      writer_.say(writer_.who(task.id) + " has ended and has never arrived there.");
    }
  }

  // The word has been changed, and nobody has said so.
  void tell_unnotified_word(const RecordedTask& task) {
    if (writer_.names().is_library_data(task.waiting.object)) return;
    const std::uint64_t word = task.waiting.object;
    const std::size_t end = recording_.events.size;
    const auto wait = last_event(recording_, 0, end, [&](const Step& step) {
      return step.task == task.id && step.object == word && info(step.kind).effect == Effect::wait;
    });
    const auto change = last_event(recording_, 0, end, [&](const Step& step) {
      return step.task != task.id && step.object == word && writes_memory(step);
    });
    const auto wake = last_event(recording_, 0, end, [&](const Step& step) {
      return step.object == word && step.kind == OperationKind::futex_wake;
    });
    const std::size_t since = wait.value_or(end);
    if (wake && (since == end || *wake > since)) return;
    if (!change) return;
    writer_.recognise(wake ? "lost-wake-up" : "no-notification");
    if (wake) {
      const std::string woken = writer_.tell("notifies", *wake);
      writer_.say(fmt::format("{}, but {} waits only after that{}, and nobody notifies again.",
                              woken, writer_.who(task.id), writer_.tell_where("waits", since)));
    } else {
      writer_.say(fmt::format("{}, and nobody notifies {}, who {}.",
                              writer_.tell("writes", *change), writer_.who(task.id),
                              wait_of(task)));
    }
  }

  WhyWriter& writer_;
  const Recording& recording_;
  bool has_told_barrier_ = false;
};

bool fails(const Step& step) {
  return (step.flags & step_failed) != 0 && info(step.kind).waits_for == WaitsFor::attempt;
}

}  // namespace

void explain_deadlock(WhyWriter& writer) { Deadlock(writer).explain(); }

namespace {

bool changes(const Step& step) { return writes_memory(step) || takes_lock(step); }

// The first time that the same was done. What repeats is told where it begins.
std::size_t first_alike(const Recording& recording, std::size_t event) {
  const Step& step = recording.events[event].step;
  return *first_event(recording, 0, event + 1, [&step](const Step& other) {
    return other.task == step.task && other.kind == step.kind && other.object == step.object &&
           other.site == step.site && other.value == step.value;
  });
}

// What others change in the round.
std::set<std::uint64_t> changed_by_others(const Recording& recording, TaskId task,
                                          std::size_t begin) {
  std::set<std::uint64_t> objects;
  for (std::size_t i = begin; i < recording.events.size; ++i) {
    const Step& step = recording.events[i].step;
    if (step.task != task && changes(step)) objects.insert(step.object);
  }
  return objects;
}

// What a thread looks at in its loop: rather what another one changes in the round, then what is no
// plain access, then no variable of its own, which may be one of the compiler's.
std::optional<std::size_t> look_in_loop(WhyWriter& writer, TaskId task, std::size_t begin) {
  const Recording& recording = writer.recording();
  const auto is_own = [&](const Step& step) {
    const RecordedTask* owner = writer.names().owner_of_stack(step.object);
    return owner != nullptr && owner->id == task;
  };
  std::set<std::uint64_t> changed;
  if (recording.period != 0) changed = changed_by_others(recording, task, begin);
  const EventTest tests[] = {[&](const Step& step) { return changed.contains(step.object); },
                             [&](const Step& step) { return !is_plain(step) && !is_own(step); },
                             [&](const Step& step) { return !is_own(step); },
                             [](const Step&) { return true; }};
  for (const EventTest& test : tests) {
    const auto look = last_event(recording, begin, recording.events.size, [&](const Step& step) {
      return step.task == task && (fails(step) || reads_memory(step)) && test(step);
    });
    if (look) return look;
  }
  return std::nullopt;
}

void tell_loop(WhyWriter& writer, const RecordedTask& task, std::size_t begin) {
  const Recording& recording = writer.recording();
  const std::size_t end = recording.events.size;
  const auto look = look_in_loop(writer, task.id, begin);
  if (!look || writer.names().is_library_data(writer.step(*look).object)) return;
  const Step& seen = writer.step(*look);
  const auto is_change = [&](const Step& step) {
    return step.object == seen.object && step.task != task.id && changes(step);
  };
  // What comes later in the round comes before the look in the next one.
  auto before = last_event(recording, begin, *look, is_change);
  if (!before) before = last_event(recording, *look, end, is_change);
  const bool is_in_round = before && recording.period != 0;
  if (!before) before = last_event(recording, 0, *look, is_change);
  writer.recognise("no-progress");
  const std::string words =
      writer.tell("reads", first_alike(recording, *look)) + " again and again";
  if (!before) {
    writer.say(words + ", and no other thread ever changes that.");
    return;
  }
  const Step& change = writer.step(*before);
  const char* role = takes_lock(change) ? "locks" : "writes";
  if (is_in_round) {
    writer.say(fmt::format("{}, because again and again {}.", words,
                           writer.tell(role, first_alike(recording, *before))));
    return;
  }
  const RecordedTask* other = task_of(recording, change.task);
  const auto own = last_event(recording, *before, *look, [&](const Step& step) {
    return step.object == seen.object && step.task == task.id && writes_memory(step);
  });
  if (own) {
    writer.say(fmt::format("{}, which it has written itself:{}.", words,
                           writer.tell_where("writes", *own)));
  } else {
    writer.say(words + ".");
  }
  const std::string changed = writer.tell(role, *before);
  writer.say(fmt::format("The last change of that by another thread: {}{}.", changed,
                         other != nullptr && other->ended ? "; it has ended since" : ""));
}

}  // namespace

// What each thread looks at, and who could change that.
void explain_livelock(WhyWriter& writer) {
  const Recording& recording = writer.recording();
  const std::size_t begin = recording.period != 0 ? last_round(recording) : 0;
  for (const RecordedTask& task : recording.tasks) {
    const bool may_wait = task.blocked && !is_memory_access(task.waiting.kind) &&
                          task.waiting.kind != OperationKind::yield &&
                          task.waiting.kind != OperationKind::try_lock;
    if (!task.ended && !may_wait) tell_loop(writer, task, begin);
  }
}

}  // namespace ricercar::inline report
