#include "search/found_bugs.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/search_heap.h"
#include "base/text.h"
#include "model/shared_array.h"
#include "model/step_hash.h"
#include "search/decisions.h"

namespace ricercar::inline search {
namespace {

// Something may be found in the middle of an execution, which is not counted yet.
std::uint64_t running_execution(const Control& control) {
  return control.executions + (control.execution_open ? 1 : 0);
}

bool is_race_between(const RecordedOutcome& outcome, std::uint64_t site, std::uint64_t other_site) {
  return outcome.kind == OutcomeKind::data_race &&
         std::minmax(outcome.site, outcome.other_site) == std::minmax(site, other_site);
}

// "... (a.cc:12)": what an assertion says of its place, where the site does not tell it.
std::string_view place_in(std::string_view message) {
  const std::size_t open = message.rfind(" (");
  return open == std::string_view::npos ? message : message.substr(open);
}

// `Other`: an Outcome, or a recorded one.
template <typename Other>
bool is_same(const RecordedOutcome& known, const Other& outcome) {
  if (known.kind != outcome.kind) return false;
  if (outcome.kind == OutcomeKind::data_race) {
    return is_race_between(known, outcome.site, outcome.other_site);
  }
  // Of a property: which one, not with which values.
  if (outcome.kind == OutcomeKind::property && outcome.object != 0) {
    return known.object == outcome.object;
  }
  if (outcome.kind == OutcomeKind::assertion && outcome.site == 0 && known.site == 0) {
    return place_in(known.message) == place_in(outcome.message);
  }
  return known.site == outcome.site && known.other_site == outcome.other_site &&
         (outcome.site != 0 || std::string_view(known.message) == outcome.message);
}

}  // namespace

RecordedOutcome as_record(const Outcome& outcome) {
  RecordedOutcome record{};
  record.kind = outcome.kind;
  record.task = outcome.task;
  record.other_task = outcome.other_task;
  record.is_write = outcome.is_write;
  record.other_is_write = outcome.other_is_write;
  record.number = outcome.number;
  record.site = outcome.site;
  record.object = outcome.object;
  record.other_site = outcome.other_site;
  copy_text(record.message, outcome.message);
  return record;
}

void add_found_bug(Control& control, const Finding& finding) {
  const Decisions decisions = decisions_of(finding.trace);
  FoundBug found;
  static_cast<ExecutionFacts&>(found) = finding.facts;
  found.decisions = to_shared(decisions.choices);
  found.checks = to_shared(decisions.checks);
  found.operations = to_shared(decisions.operations);
  found.accesses = to_shared(finding.accesses);
  found.outcome = as_record(finding.outcome);
  found.execution = running_execution(control);
  found.steps = finding.trace.size();
  found.trace_hash = hash_of(finding.trace);
  append_found_bug(control, found);
}

void append_found_bug(Control& control, const FoundBug& found) {
  SharedAllocation shared;
  auto* bug = search_allocate_array<FoundBug>(1);
  *bug = found;
  (control.last_bug != nullptr ? control.last_bug->next : control.first_bug) = bug;
  control.last_bug = bug;
  ++control.bug_count;
}

void replace_found_bugs(Control& control, const Finding& finding) {
  control.first_bug = control.last_bug = nullptr;
  control.bug_count = 0;
  add_found_bug(control, finding);
}

namespace {

template <typename Other>
bool is_listed(const Control& control, const Other& outcome) {
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    if (!bug->is_rejected && is_same(bug->outcome, outcome)) return true;
  }
  return false;
}

}  // namespace

bool is_known_bug(const Control& control, const Outcome& outcome) {
  return is_listed(control, outcome);
}

bool is_known_bug(const Control& control, const RecordedOutcome& outcome) {
  return is_listed(control, outcome);
}

bool is_same_finding(const RecordedOutcome& one, const RecordedOutcome& other) {
  return is_same(one, other);
}

bool is_known_race(const Control& control, std::uint64_t site, std::uint64_t other_site) {
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    if (!bug->is_rejected && is_race_between(bug->outcome, site, other_site)) return true;
  }
  return false;
}

void add_ignored(Control& control, const Outcome& outcome, std::uint32_t suppression) {
  IgnoredFinding** end = &control.first_ignored;
  for (; *end != nullptr; end = &(*end)->next) {
    if ((*end)->suppression != suppression || !is_same((*end)->outcome, outcome)) continue;
    ++(*end)->times;
    return;
  }
  SharedAllocation shared;
  auto* finding = search_allocate_array<IgnoredFinding>(1);
  *finding = {nullptr, as_record(outcome), running_execution(control), 1, suppression};
  *end = finding;
}

bool count_ignored_race(Control& control, std::uint64_t site, std::uint64_t other_site) {
  for (IgnoredFinding* each = control.first_ignored; each != nullptr; each = each->next) {
    const bool is_it = each->suppression == 0 && is_race_between(each->outcome, site, other_site);
    if (!is_it) continue;
    ++each->times;
    return true;
  }
  return false;
}

}  // namespace ricercar::inline search
