#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <unordered_map>

#include "report/build_threads.h"
#include "report/phrases.h"

namespace ricercar::inline report {
namespace {

constexpr std::size_t first_rows = 10;
constexpr std::size_t last_rows = 60;
constexpr std::size_t longest_period = 12;
constexpr std::size_t least_repetitions = 3;

// What happens between two steps.
bool is_plain(const Step& step) {
  return step.kind == OperationKind::read || step.kind == OperationKind::write ||
         step.kind == OperationKind::release;
}

bool is_write(const Step& step) { return access_of(step.kind) == Access::write; }

// The addresses of memory that at least two threads touch, one of them with a write.
std::set<std::uint64_t> shared_memory(const Recording& recording) {
  struct Use {
    TaskId task = no_task;
    bool by_others = false;
    bool written = false;
  };
  std::unordered_map<std::uint64_t, Use> uses;
  for (const RecordedEvent& event : recording.events) {
    if (event.step.kind == OperationKind::release) continue;
    Use& use = uses[event.step.object];
    if (use.task == no_task) use.task = event.step.task;
    use.by_others = use.by_others || use.task != event.step.task;
    use.written = use.written || is_write(event.step);
  }
  std::set<std::uint64_t> result;
  for (const auto& [address, use] : uses) {
    if (use.by_others && use.written) result.insert(address);
  }
  if (recording.outcome.object != 0) result.insert(recording.outcome.object);
  return result;
}

// Two events that a reader would call the same.
bool look_alike(const RecordedEvent& a, const RecordedEvent& b) {
  return a.step.task == b.step.task && a.step.kind == b.step.kind &&
         a.step.object == b.step.object && a.step.value == b.step.value &&
         a.step.site == b.step.site && ((a.step.flags ^ b.step.flags) & ~step_preempts) == 0;
}

// What is shown at a place of the list: an event, or the number of events left out.
struct Item {
  std::size_t event = 0;
  std::size_t period = 0;  // 0: an event; otherwise so many events that are repeated
  std::size_t repetitions = 0;
};

class Chooser {
 public:
  Chooser(Names& names, bool full) : names_(names), recording_(names.recording()), full_(full) {}

  std::vector<ReportStep> choose() {
    select_events();
    fold_repetitions();
    const std::size_t count = items_.size();
    if (full_ || count <= first_rows + last_rows + 5) {
      add_rows(0, count);
    } else {
      add_rows(0, first_rows);
      add_gap({.left_out = count - first_rows - last_rows});
      add_rows(count - last_rows, count);
    }
    add_outcome();
    return std::move(steps_);
  }

 private:
  void select_events() {
    const std::set<std::uint64_t> shared = shared_memory(recording_);
    for (std::size_t i = 0; i < recording_.events.size; ++i) {
      const Step& step = recording_.events[i].step;
      if (step.kind == OperationKind::release) {
        if (full_ || ends_the_memory(step)) events_.push_back(i);
        continue;
      }
      if (is_plain(step) && !shared.contains(step.object)) continue;
      if (is_plain(step) && belongs_to_thread_object(step.object)) continue;
      if (is_plain(step) && !full_ && is_of_library(step.object, i)) continue;
      // Which waiter is woken is told by the signal itself.
      if (step.kind == OperationKind::signal && (step.flags & step_value) != 0) continue;
      if (step.kind == OperationKind::initialise && !full_) continue;
      events_.push_back(i);
    }
  }

  // Frees the block that the bug is about.
  bool ends_the_memory(const Step& step) const {
    const RecordedAllocation* block = names_.allocation(recording_.outcome.object);
    return block != nullptr && block->address == step.object;
  }

  // The pointer to the virtual functions, and what the library makes for itself.
  bool is_of_library(std::uint64_t address, std::size_t event) {
    if (address == recording_.outcome.object) return false;
    const std::string& name = names_.object(address, event).name;
    const bool is_reserved =
        name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1]));
    return is_reserved || name.find("._vptr.") != std::string::npos;
  }

  // What std::thread passes to the new thread is written by one and read by the other, and says
  // nothing about the program.
  bool belongs_to_thread_object(std::uint64_t address) {
    const RecordedAllocation* block = names_.allocation(address);
    if (block == nullptr) return false;
    const auto [known, is_new] = thread_blocks_.try_emplace(block, false);
    if (!is_new) return known->second;
    for (const Frame& frame : names_.frames(block->stack)) {
      if (frame.is_users) break;
      known->second = known->second || frame.function.starts_with("std::thread::");
    }
    return known->second;
  }

  void fold_repetitions() {
    for (std::size_t at = 0; at < events_.size();) {
      const auto [period, repetitions] = full_ ? Repetition{} : repetition_at(at);
      if (repetitions < least_repetitions) {
        items_.push_back({events_[at++], 0, 0});
        continue;
      }
      for (std::size_t i = 0; i < period; ++i) items_.push_back({events_[at + i], 0, 0});
      items_.push_back({0, period, repetitions - 1});
      at += period * repetitions;
    }
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
           look_alike(recording_.events[events_[at + alike]],
                      recording_.events[events_[at + alike + period]])) {
      ++alike;
    }
    return alike / period + 1;
  }

  void add_rows(std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) {
      const Item& item = items_[i];
      if (item.period == 0) {
        add_event(item.event);
      } else {
        add_repetition(item);
      }
    }
  }

  void add_repetition(const Item& item) {
    const bool for_ever = recording_.outcome.kind == OutcomeKind::livelock;
    add_gap({0, item.period, item.repetitions, for_ever});
  }

  void add_gap(const ReportStep::Gap& gap) { steps_.emplace_back().gap = gap; }

  void add_event(std::size_t event_index) {
    const RecordedEvent& event = recording_.events[event_index];
    if (!full_ && is_invisible(event)) return;
    ReportStep step;
    const Place place = names_.place(event.stack);
    step.lane = event.step.task;
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
    step.switched = last_lane_ != no_task && last_lane_ != step.lane;
    step.preempts = (event.step.flags & step_preempts) != 0;
    last_lane_ = step.lane;
    if (!steps_.empty() && !is_step && is_same(steps_.back(), step)) return;
    if (!steps_.empty() && !full_ && continues_creation(steps_.back(), step)) {
      steps_.back().last_created = step.last_created;
      steps_.back().object = Names::tasks(steps_.back().first_created, step.last_created);
      steps_.back().what = "creates " + steps_.back().object;
      return;
    }
    steps_.push_back(step);
  }

  // The last operation did not happen, so it is not among the events.
  void add_outcome() {
    const RecordedOutcome& outcome = recording_.outcome;
    if (outcome.kind == OutcomeKind::deadlock) {
      for (const RecordedTask& task : recording_.tasks) {
        if (!task.blocked) continue;
        add_final(task.id, waiting_phrase(names_, task.waiting), names_.place_of_wait(task));
        steps_.back().operation = info(task.waiting.kind).name;
        steps_.back().object = awaited_object(names_, task.waiting);
      }
      return;
    }
    if (outcome.task == no_task) return;
    const std::string words = final_words();
    if (words.empty()) return;
    add_final(outcome.task, words, names_.place(outcome.stack));
    const bool is_race = outcome.kind == OutcomeKind::data_race;
    if (is_race) steps_.back().operation = info(access_kind(outcome)).name;
    if (is_race || outcome.kind == OutcomeKind::use_after_free) {
      steps_.back().object = names_.object(outcome.object).name;
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

  static bool is_same(const ReportStep& a, const ReportStep& b) {
    return !a.gap.is_one() && a.lane == b.lane && a.what == b.what && is_same(a.place, b.place);
  }

  static bool is_same(const Place& a, const Place& b) {
    return a.short_file == b.short_file && a.frame.line == b.frame.line;
  }

  // A loop that creates threads is one step.
  static bool continues_creation(const ReportStep& last, const ReportStep& step) {
    return step.first_created != no_task && last.last_created != no_task &&
           last.lane == step.lane && is_same(last.place, step.place) &&
           index(step.first_created) == index(last.last_created) + 1;
  }

  // What the C++ library or the unwinder does on its own account.
  bool is_invisible(const RecordedEvent& event) {
    switch (event.step.kind) {
      case OperationKind::start:
      case OperationKind::end:
      case OperationKind::create:
      case OperationKind::join:
      case OperationKind::exit:
      case OperationKind::deliver:
        return false;
      default:
        break;
    }
    // The runtime has objects that stand for files, and for requests to cancel a thread.
    const bool has_stand_in =
        is_file_call(event.step.kind) || event.step.kind == OperationKind::cancel;
    if (!has_stand_in && names_.is_library_data(event.step.object)) return true;
    const std::vector<Frame> frames = names_.frames(event.stack);
    return !frames.empty() && std::none_of(frames.begin(), frames.end(),
                                           [](const Frame& frame) { return frame.is_users; });
  }

  Names& names_;
  const Recording& recording_;
  bool full_;
  std::vector<std::size_t> events_;
  std::vector<Item> items_;
  std::vector<ReportStep> steps_;
  TaskId last_lane_ = no_task;
  std::unordered_map<const RecordedAllocation*, bool> thread_blocks_;
};

}  // namespace

std::vector<ReportStep> choose_steps(Names& names, bool full) {
  return Chooser(names, full).choose();
}

std::uint64_t count_preemptions(const Recording& recording) {
  return static_cast<std::uint64_t>(std::count_if(
      recording.events.begin(), recording.events.end(),
      [](const RecordedEvent& event) { return (event.step.flags & step_preempts) != 0; }));
}

}  // namespace ricercar::inline report
