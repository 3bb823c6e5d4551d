#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "report/build_threads.h"
#include "report/container_sizes.h"
#include "report/history.h"
#include "report/phrases.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t first_rows = 10;
constexpr std::size_t last_rows = 60;
constexpr std::size_t longest_run = 8;  // with more rows lines are not told in their order
constexpr std::size_t longest_period = 12;
constexpr std::size_t least_repetitions = 3;

// Two events that a reader would call the same.
bool look_alike(const RecordedEvent& a, const RecordedEvent& b) {
  return a.step.task == b.step.task && a.step.kind == b.step.kind &&
         a.step.object == b.step.object && a.step.value == b.step.value &&
         a.step.site == b.step.site && ((a.step.flags ^ b.step.flags) & ~step_preempts) == 0;
}

// A row of the report: events of one line, or a block of rows that are repeated.
struct Item {
  std::vector<std::size_t> events;  // as positions among the chosen ones
  std::size_t period = 0;           // not 0: so many rows before this one
  std::size_t repetitions = 0;      // come again so often
};

class Chooser {
 public:
  Chooser(Names& names, const StepOptions& options)
      : names_(names),
        recording_(names.recording()),
        options_(options),
        full_(options.full),
        round_(last_round(recording_)),
        sizes_(names) {}

  std::vector<ReportStep> choose() {
    events_ = choose_events(names_, options_);
    if (!full_) fold_short_locks();
    fold_repetitions();
    add_endless_round();
    if (!full_) fold_long_runs();
    const std::size_t count = items_.size();
    if (full_ || count <= first_rows + last_rows + 5) {
      add_rows(0, count);
    } else {
      add_rows(0, first_rows);
      add_left_out(first_rows, count - last_rows);
      add_rows(count - last_rows, count);
    }
    add_outcome();
    join_outcome();
    mark_ends();
    return std::move(steps_);
  }

 private:
  const RecordedEvent& event_at(std::size_t position) const {
    return recording_.events[events_[position]];
  }

  // A lock that is taken and given back without anybody in between is told in one row.
  void fold_short_locks() {
    std::vector<std::size_t> kept;
    std::vector<std::size_t> open;  // locks of this run, as indexes of events
    TaskId running = no_task;
    for (const std::size_t i : events_) {
      const Step& step = recording_.events[i].step;
      if (step.task != running) open.clear();
      running = step.task;
      const Role role = info(step.kind).role;
      if (role == Role::locks && (step.flags & (step_failed | step_timeout)) == 0) {
        open.push_back(i);
      }
      const auto lock = std::find_if(open.rbegin(), open.rend(), [&](std::size_t each) {
        return recording_.events[each].step.object == step.object;
      });
      const bool is_folded =
          role == Role::unlocks && lock != open.rend() && !options_.named.contains(i);
      if (!is_folded) {
        kept.push_back(i);
        continue;
      }
      unlocked_at_[*lock] = recording_.events[i].step_index + 1;
      open.erase(std::next(lock).base());
    }
    events_ = std::move(kept);
  }

  // What the line of an event is; the same number for the same line.
  std::uint32_t line_of(const StackRef& stack) {
    const std::uint64_t key = std::uint64_t{stack.innermost} << 32U | stack.size;
    const auto [known, is_new] = lines_.try_emplace(key, 0);
    if (!is_new) return known->second;
    const std::vector<Frame> frames = names_.frames(stack);
    const auto users = std::find_if(frames.begin(), frames.end(), [](const Frame& frame) {
      return frame.is_users && !frame.file.empty();
    });
    if (users == frames.end()) return 0;
    const auto number = static_cast<std::uint32_t>(line_numbers_.size() + 1);
    known->second = line_numbers_.try_emplace({users->file, users->line}, number).first->second;
    return known->second;
  }

  bool belong_together(const RecordedEvent& a, const RecordedEvent& b) {
    if (full_ || a.step.task != b.step.task) return false;
    const bool is_about_tasks =
        a.step.kind == OperationKind::create || a.step.kind == OperationKind::join ||
        b.step.kind == OperationKind::create || b.step.kind == OperationKind::join;
    if (is_about_tasks) return a.step.kind == b.step.kind;
    const std::uint32_t line = line_of(a.stack);
    return line != 0 && line == line_of(b.stack);
  }

  void fold_repetitions() {
    for (std::size_t at = 0; at < events_.size();) {
      const auto [period, repetitions] = full_ ? Repetition{} : repetition_at(at);
      if (repetitions < least_repetitions || is_one_line(at, period * repetitions)) {
        add_item(at++);
        continue;
      }
      const std::size_t first = items_.size();
      starts_anew_ = true;
      for (std::size_t i = 0; i < period; ++i) add_item(at + i);
      items_.push_back({{}, items_.size() - first, repetitions - 1});
      at += period * repetitions;
    }
  }

  // Then it is one row, which counts what comes again. What goes on like that for ever is not.
  bool is_one_line(std::size_t at, std::size_t count) {
    if (recording_.outcome.kind == OutcomeKind::livelock) return false;
    for (std::size_t i = at; i + 1 < at + count; ++i) {
      if (!belong_together(event_at(i), event_at(i + 1))) return false;
    }
    return true;
  }

  // An execution that is told up to the end of its first round.
  void add_endless_round() {
    if (!options_.is_told_once) return;
    const auto is_in_round = [this](const Item& item) {
      return !item.events.empty() && events_[item.events.front()] >= round_;
    };
    const auto rows = std::count_if(items_.begin(), items_.end(), is_in_round);
    if (rows > 0) items_.push_back({{}, static_cast<std::size_t>(rows), 0});
  }

  void add_item(std::size_t position) {
    if (position > 0 && events_[position - 1] < round_ && events_[position] >= round_) {
      starts_anew_ = true;
    }
    const bool goes_on = !starts_anew_ && !items_.empty() && !items_.back().events.empty() &&
                         belong_together(event_at(items_.back().events.back()), event_at(position));
    starts_anew_ = false;
    if (!goes_on) items_.emplace_back();
    items_.back().events.push_back(position);
  }

  // A loop over several lines, with nobody in between: a row for each line. A block that repeats is
  // left as it is.
  void fold_long_runs() {
    std::vector<Item> kept;
    for (std::size_t first = 0; first < items_.size();) {
      const std::size_t end = end_of_run(first);
      const bool is_repeated = end < items_.size() && items_[end].period != 0;
      const bool is_long = end - first > longest_run && !is_repeated;
      std::map<std::uint32_t, std::size_t> by_line;
      for (std::size_t i = first; i < end; ++i) {
        const std::uint32_t line = is_long ? line_of_accesses(items_[i]) : 0;
        const auto [known, is_new] = by_line.try_emplace(line, kept.size());
        if (is_new || line == 0) {
          kept.push_back(std::move(items_[i]));
        } else {
          std::vector<std::size_t>& all = kept[known->second].events;
          all.insert(all.end(), items_[i].events.begin(), items_[i].events.end());
        }
      }
      first = end;
    }
    items_ = std::move(kept);
  }

  // Behind the rows of one thread, or the row that stands for a block, that begin at `first`.
  std::size_t end_of_run(std::size_t first) const {
    std::size_t end = first + 1;
    while (items_[first].period == 0 && end < items_.size() && items_[end].period == 0 &&
           task_of(items_[end]) == task_of(items_[first])) {
      ++end;
    }
    return end;
  }

  TaskId task_of(const Item& item) const {
    return item.events.empty() ? no_task : event_at(item.events.front()).step.task;
  }

  // 0: it does something else, too.
  std::uint32_t line_of_accesses(const Item& item) {
    const bool are_accesses =
        std::all_of(item.events.begin(), item.events.end(), [this](std::size_t position) {
          return is_memory_access(event_at(position).step.kind) &&
                 !options_.named.contains(events_[position]);
        });
    return are_accesses ? line_of(event_at(item.events.front()).stack) : 0;
  }

  struct Repetition {
    std::size_t period = 0;
    std::size_t repetitions = 0;
  };

  Repetition repetition_at(std::size_t at) const {
    for (std::size_t period = 1; period <= longest_period; ++period) {
      const std::size_t repetitions = count_repetitions(at, period);
      if (repetitions >= least_repetitions) return {period, repetitions};
    }
    const std::size_t known_period = recording_.period;
    if (known_period <= longest_period) return {};
    return {known_period, count_repetitions(at, known_period)};
  }

  std::size_t count_repetitions(std::size_t at, std::size_t period) const {
    std::size_t alike = 0;
    while (at + alike + period < events_.size() &&
           look_alike(event_at(at + alike), event_at(at + alike + period))) {
      ++alike;
    }
    return alike / period + 1;
  }

  void add_rows(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      if (items_[i].period == 0) {
        add_row(items_[i]);
      } else {
        add_repetition(items_[i]);
      }
    }
  }

  void add_repetition(const Item& item) {
    const bool goes_round = recording_.outcome.kind == OutcomeKind::livelock;
    const bool for_ever = options_.is_told_once ? item.repetitions == 0 : goes_round;
    add_gap({0, item.period, item.repetitions, for_ever});
  }

  void add_gap(const ReportStep::Gap& gap) { steps_.emplace_back().gap = gap; }

  // Rows that something names are not left out.
  void add_left_out(std::size_t from, std::size_t to) {
    std::uint64_t left_out = 0;
    for (std::size_t i = from; i < to; ++i) {
      if (!is_named(items_[i])) {
        ++left_out;
        continue;
      }
      if (left_out != 0) add_gap({.left_out = std::exchange(left_out, 0)});
      add_row(items_[i]);
    }
    if (left_out != 0) add_gap({.left_out = left_out});
  }

  bool is_named(const Item& item) const {
    return std::any_of(item.events.begin(), item.events.end(), [this](std::size_t position) {
      return options_.named.contains(events_[position]);
    });
  }

  void add_row(const Item& item) {
    std::vector<ReportStep> parts;
    std::vector<bool> named;
    for (const std::size_t position : item.events) {
      ReportStep part = step_of(position);
      const bool is_again = !parts.empty() && part.number == 0 && is_same(parts.back(), part);
      if (is_again) continue;
      parts.push_back(std::move(part));
      named.push_back(options_.named.contains(events_[position]));
    }
    if (!item.events.empty()) add_size(parts, events_[item.events.back()]);
    ReportStep row = merged(std::move(parts), named);
    row.switched = last_lane_ != no_task && last_lane_ != row.lane;
    last_lane_ = row.lane;
    steps_.push_back(std::move(row));
  }

  // The size of the container that the row ends with; in the middle of a change it has none.
  void add_size(std::vector<ReportStep>& parts, std::size_t last_event) {
    const Step& last = recording_.events[last_event].step;
    if (full_ || !is_memory_access(last.kind) || parts.back().number != 0) return;
    if (writes_memory(last) && !leaves_line(last_event)) return;
    const auto size = sizes_.size_after(last_event);
    if (!size) return;
    const std::string what = parts.back().what;
    for (std::size_t i = parts.size(); i-- > 0 && parts[i].what == what;) {
      parts[i].value = fmt::format("size {}", *size);
      parts[i].what += fmt::format(" (size {})", *size);
    }
  }

  // What the task does next is in another line: it has finished what it did in this one.
  bool leaves_line(std::size_t event) {
    const RecordedEvent& here = recording_.events[event];
    for (std::size_t i = event + 1; i < recording_.events.size; ++i) {
      const RecordedEvent& next = recording_.events[i];
      if (next.step.task == here.step.task) return line_of(next.stack) != line_of(here.stack);
    }
    return false;
  }

  ReportStep step_of(std::size_t position) {
    const std::size_t event_index = events_[position];
    const RecordedEvent& event = recording_.events[event_index];
    ReportStep step;
    const Place place = names_.place(event.stack);
    step.lane = event.step.task;
    step.event = event_index + 1;
    Phrase words = phrase(names_, event, event_index);
    step.what = std::move(words.what);
    step.operation = info(event.step.kind).name;
    step.object = std::move(words.object);
    step.value = std::move(words.value);
    step.ends = event.step.kind == OperationKind::end;
    if (event.step.kind == OperationKind::create) {
      step.first_created = task_id(static_cast<std::uint32_t>(event.step.value));
      step.last_created = step.first_created;
    }
    // Where a thread starts and ends is told by its title.
    if (event.step.kind != OperationKind::start && event.step.kind != OperationKind::end &&
        place.is_known()) {
      step.place = place;
    }
    const bool is_step = !is_plain(event.step) || event.step.options > 0;
    if (is_step) step.number = event.step_index + 1;
    step.preempts = preempts(position);
    const auto unlocked = unlocked_at_.find(event_index);
    if (unlocked != unlocked_at_.end()) {
      step.until = unlocked->second;
      step.what += fmt::format(" until step {}", step.until);
    }
    return step;
  }

  // It, or what it has done before that is not shown.
  bool preempts(std::size_t position) const {
    const std::size_t first = position == 0 ? 0 : events_[position - 1] + 1;
    for (std::size_t i = events_[position] + 1; i-- > first;) {
      const Step& step = recording_.events[i].step;
      if (step.task != event_at(position).step.task) return false;
      if ((step.flags & step_preempts) != 0) return true;
    }
    return false;
  }

  // The last operation did not happen, so it is not among the events.
  void add_outcome() {
    const RecordedOutcome& outcome = recording_.outcome;
    if (outcome.kind == OutcomeKind::deadlock || outcome.kind == OutcomeKind::hang) add_waits();
    if (outcome.kind == OutcomeKind::deadlock || outcome.task == no_task) return;
    const std::string words = final_words();
    if (words.empty()) return;
    add_final(outcome.task, words, names_.place(outcome.stack));
    const bool is_race = outcome.kind == OutcomeKind::data_race;
    if (is_race) steps_.back().operation = info(access_kind(outcome)).name;
    if (is_race || outcome.kind == OutcomeKind::use_after_free) {
      steps_.back().object = names_.object(outcome.object).name;
    }
  }

  void add_waits() {
    for (const RecordedTask& task : recording_.tasks) {
      const bool is_told_below =
          recording_.outcome.kind == OutcomeKind::hang && task.id == recording_.outcome.task;
      if (!task.blocked || is_told_below) continue;
      add_final(task.id, waiting_phrase(names_, task.waiting), names_.place_of_wait(task));
      steps_.back().operation = info(task.waiting.kind).name;
      steps_.back().object = awaited_object(names_, task.waiting);
    }
  }

  std::string final_words() {
    const RecordedOutcome& outcome = recording_.outcome;
    switch (outcome.kind) {
      case OutcomeKind::use_after_free:
        return use_of_freed(names_);
      case OutcomeKind::data_race:
        return access_phrase(names_);
      case OutcomeKind::assertion:
        return "assertion fails";
      case OutcomeKind::crash:
        return "crashes";
      case OutcomeKind::exception:
        return "throws, and nobody catches";
      case OutcomeKind::hang:
        return "does not come back";
      case OutcomeKind::lock_misuse:
        return outcome.message;
      default:
        return {};
    }
  }

  void add_final(TaskId task, const std::string& words, const Place& place) {
    ReportStep step;
    step.lane = task;
    step.what = words;
    if (place.is_known()) step.place = place;
    step.is_outcome = true;
    steps_.push_back(step);
  }

  // What ends the execution may be in the line of the last row.
  void join_outcome() {
    if (full_ || steps_.size() < 2) return;
    ReportStep& last = steps_.back();
    ReportStep& before = steps_[steps_.size() - 2];
    const bool is_one_row = last.is_outcome && !before.is_outcome && !before.gap.is_one() &&
                            before.lane == last.lane && before.place.is_known() &&
                            is_same(before.place, last.place);
    if (!is_one_row) return;
    std::vector<ReportStep> parts = before.parts;
    if (parts.empty()) parts.push_back(before);
    parts.push_back(last);
    before.what += ", " + last.what;
    before.operation = before.object = before.value = "";
    before.is_outcome = true;
    before.parts = std::move(parts);
    steps_.pop_back();
  }

  // The last row of a thread that has ended.
  void mark_ends() {
    for (const RecordedTask& task : recording_.tasks) {
      if (!task.ended) continue;
      const auto last = std::find_if(steps_.rbegin(), steps_.rend(), [&task](const auto& step) {
        return !step.gap.is_one() && step.lane == task.id;
      });
      if (last != steps_.rend()) last->ends = true;
    }
  }

  static bool is_same(const ReportStep& a, const ReportStep& b) {
    return !a.gap.is_one() && a.lane == b.lane && a.what == b.what && is_same(a.place, b.place);
  }

  static bool is_same(const Place& a, const Place& b) {
    return a.short_file == b.short_file && a.frame.line == b.frame.line;
  }

  Names& names_;
  const Recording& recording_;
  const StepOptions& options_;
  bool full_;
  std::size_t round_;  // the first event of the last round
  ContainerSizes sizes_;
  std::vector<std::size_t> events_;
  std::map<std::size_t, std::uint64_t> unlocked_at_;  // by the event: the number of a step
  std::vector<Item> items_;
  bool starts_anew_ = false;  // the next event begins a row
  std::vector<ReportStep> steps_;
  TaskId last_lane_ = no_task;
  std::unordered_map<std::uint64_t, std::uint32_t> lines_;  // by the stack
  std::map<std::pair<std::string, unsigned>, std::uint32_t> line_numbers_;
};

}  // namespace

std::vector<ReportStep> choose_steps(Names& names, const StepOptions& options) {
  return Chooser(names, options).choose();
}

std::uint64_t count_preemptions(const Recording& recording) {
  return static_cast<std::uint64_t>(std::count_if(
      recording.events.begin(), recording.events.end(),
      [](const RecordedEvent& event) { return (event.step.flags & step_preempts) != 0; }));
}

}  // namespace ricercar::inline report
