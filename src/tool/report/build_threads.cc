// The report of a recording of threads: names and source lines for all that it talks about. A heap
// block gets its number, and a file its short name, when it is met first; so what the text shows
// comes first, in its order.
#include "report/build_threads.h"

#include <algorithm>

#include "report/build.h"
#include "report/detail_builder.h"
#include "report/phrases.h"
#include "report/stuck.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

class Builder {
 public:
  Builder(Report& report, const Recording& recording, Symbols& symbols)
      : report_(report), recording_(recording), names_(recording, symbols) {}

  void build(bool detailed) {
    report_.has_debug_information = names_.symbols().has_debug_information();
    Explanation explanation;
    if (report_.is_same_bug) {
      add_bug();
      explanation = explain(names_);
      report_.why = explanation.why;
      add_last_chance(explanation.events);
    }
    report_.steps = choose_steps(names_, {.full = report_.is_full,
                                          .is_told_once = report_.followed_steps != 0,
                                          .named = std::move(explanation.events)});
    report_.preemptions = count_preemptions(recording_);
    add_blocks();
    report_.files = names_.short_files();
    if (report_.is_same_bug) add_places();
    for (const RecordedTask& task : recording_.tasks) add_lane(task);
    if (detailed) add_detail();
  }

 private:
  // Last, so that blocks have the numbers that they have in the report without it.
  void add_detail() {
    report_.all_steps = choose_steps(
        names_, {.full = true, .is_told_once = report_.followed_steps != 0, .named = {}});
    report_.detail = detail_of_threads(names_, report_.all_steps);
  }

  void add_last_chance(std::set<std::size_t>& named) {
    if (!report_.last_chance) return;
    ReportChance& chance = *report_.last_chance;
    const auto event = event_of_step(recording_, chance.step);
    if (chance.passes && event) {
      named.insert(*event);
      chance.lane = recording_.events[*event].step.task;
      chance.number = chance.step + 1;
      chance.taken = words_of_event(names_, *event);
      if (!report_.why.is_known()) {
        report_.why = wrong_order(names_, *event, chance);
        chance.is_told = report_.why.is_known() && !chance.is_in_round;
      }
    }
    chance.sentences = sentences_of(chance);
  }

  void add_bug() {
    const RecordedOutcome& outcome = recording_.outcome;
    report_.headline = headline_of(names_);
    switch (outcome.kind) {
      case OutcomeKind::deadlock:
        for (const Waiting& waiting : find_waiting(recording_)) add_wait(waiting);
        break;
      case OutcomeKind::data_race:
        report_.places = bug_places(names_, report_.is_full);
        break;
      case OutcomeKind::use_after_free:
        report_.places = bug_places(names_, report_.is_full);
        add_memory();
        break;
      default:
        if (outcome.task != no_task) report_.stack = names_.calls(outcome.stack, report_.is_full);
    }
  }

  void add_wait(const Waiting& waiting) {
    const RecordedTask& task = *waiting.task;
    ReportWait wait;
    wait.lane = task.id;
    wait.awaited = waiting.for_tasks;
    for (const RecordedHold* hold : waiting.holds) wait.holds.push_back(named(*hold));
    wait.operation = info(task.waiting.kind).name;
    wait.what = waiting_phrase(names_, task.waiting);
    wait.object = awaited_object(names_, task.waiting);
    wait.place = names_.place_of_wait(task);
    report_.waits.push_back(wait);
  }

  ReportHold named(const RecordedHold& hold) {
    return {names_.object(hold.object).name, names_.place(hold.stack)};
  }

  void add_memory() {
    const RecordedAllocation* block = names_.allocation(recording_.outcome.object);
    report_.knows_block = block != nullptr;
    if (block == nullptr) return;
    report_.allocated_by = block->task;
    report_.allocated = names_.calls(block->stack, report_.is_full);
  }

  void add_blocks() {
    for (const Names::NamedBlock& named : names_.named_blocks()) {
      const RecordedAllocation& block = *named.allocation;
      const bool knows_place = block.stack.size != 0;
      report_.blocks.push_back({named.name, block.size, block.task, knows_place,
                                knows_place ? names_.place(block.stack) : Place{}});
    }
  }

  void add_places() {
    if (report_.places.empty()) report_.places = bug_places(names_, report_.is_full);
    const bool is_access =
        report_.outcome == OutcomeKind::data_race || report_.outcome == OutcomeKind::use_after_free;
    if (!is_access || report_.places.empty()) return;
    // The execution ended with this access: what its thread holds now, it held there.
    BugPlace& last = report_.places.front();
    last.knows_holds = true;
    for (const RecordedHold& hold : recording_.holds) {
      if (hold.task == last.lane) last.holds.push_back(named(hold));
    }
    if (report_.outcome != OutcomeKind::data_race) return;
    if (const auto locks = locks_of_earlier_access(recording_)) {
      report_.places[1].knows_holds = true;
      for (const RecordedHold& hold : *locks) report_.places[1].holds.push_back(named(hold));
    }
  }

  void add_lane(const RecordedTask& task) {
    Lane lane;
    lane.id = task.id;
    lane.name = Names::task(task.id);
    lane.title = names_.title(task.id);
    lane.has_run = !lane.title.empty() || task.stack.size > 0 || has_events(task.id);
    lane.creator = task.creator;
    if (task.creator != no_task) lane.created = names_.place(task.creation);
    report_.lanes.push_back(lane);
  }

  bool has_events(TaskId task) const {
    return std::any_of(recording_.events.begin(), recording_.events.end(),
                       [task](const RecordedEvent& event) { return event.step.task == task; });
  }

  Report& report_;
  const Recording& recording_;
  Names names_;
};

}  // namespace

void add_threads(Report& report, const Recording& recording, Symbols& symbols, bool detailed) {
  Builder(report, recording, symbols).build(detailed);
}

}  // namespace ricercar::inline report
