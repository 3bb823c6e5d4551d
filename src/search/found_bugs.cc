#include "search/found_bugs.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/search_heap.h"
#include "model/shared_array.h"
#include "model/step_hash.h"
#include "search/decisions.h"

namespace ricercar {
namespace {

template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = 0;
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

void add_found_bug(Control& control, const Outcome& outcome, Trace trace,
                   std::span<const std::uint32_t> accesses) {
  const Decisions decisions = decisions_of(trace);
  const std::uint64_t hash = hash_of(trace);
  SharedAllocation shared;
  auto* bug = search_allocate_array<FoundBug>(1);
  *bug = {nullptr, as_record(outcome),           control.executions,          trace.size(),
          hash,    to_shared(decisions.choices), to_shared(decisions.checks), to_shared(accesses),
          false};
  (control.last_bug != nullptr ? control.last_bug->next : control.first_bug) = bug;
  control.last_bug = bug;
  ++control.bug_count;
}

bool is_known_bug(const Control& control, const Outcome& outcome) {
  for (const FoundBug* bug = control.first_bug; bug != nullptr; bug = bug->next) {
    if (!bug->is_rejected && bug->outcome.kind == outcome.kind &&
        bug->outcome.site == outcome.site && bug->outcome.other_site == outcome.other_site &&
        (outcome.site != 0 || outcome.message == bug->outcome.message)) {
      return true;
    }
  }
  return false;
}

}  // namespace ricercar
