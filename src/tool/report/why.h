// Why a bug happened, as far as its trace proves it: which events, of whom, in which order. Pure
// functions over a recording; nothing is said where nothing was recognised. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/container_sizes.h"
#include "report/model.h"
#include "report/names.h"

namespace ricercar::inline report {

struct Explanation {
  Why why;
  std::set<std::size_t> events;  // which it names, by their indexes: a report must show them
};

// Of a bug in threads.
Explanation explain(Names& names);

// Of machines and nodes, from the steps of the full report.
Why explain_messages(const Report& report, const std::vector<ReportStep>& steps);

// Where a step of the trace is among the events, or a later one of what happened, as acts.
std::optional<std::size_t> event_of_step(const Recording& recording, std::uint64_t step);
std::optional<std::size_t> act_of_step(const Recording& recording, std::uint64_t step);
// "T1 locks `mutex` at a.cc:12 (step 5)"
std::string words_of_event(Names& names, std::size_t event);
std::string words_of_act(const Recording& recording, std::size_t act);
// If nothing else is known: what came first, and should have come later. Empty: that is not proven.
Why wrong_order(Names& names, std::size_t event, const ReportChance& chance);
// Until when it could be avoided.
std::vector<std::string> sentences_of(const ReportChance& chance);

// What the parts of an explanation are written with.
class WhyWriter {
 public:
  explicit WhyWriter(Names& names) : names_(names), sizes_(names) {}

  Names& names() { return names_; }
  const Recording& recording() const { return names_.recording(); }
  const RecordedEvent& event(std::size_t index) const { return recording().events[index]; }
  const Step& step(std::size_t index) const { return event(index).step; }

  void recognise(const std::string& pattern) { result_.why.pattern = pattern; }
  bool has_recognised() const { return result_.why.is_known(); }
  void say(const std::string& sentence) { result_.why.sentences.push_back(sentence); }

  // "T1 reads `counter` = 0 at f.cc:14 (step 5)". The place becomes one of the explanation.
  std::string tell(const std::string& role, std::size_t index);
  // The same without who it was.
  std::string tell_what(const std::string& role, std::size_t index);
  // Only where it was: "at f.cc:14 (step 5)".
  std::string tell_where(const std::string& role, std::size_t index);
  // What is no event: where a task waits, fails or is created.
  std::string tell_place(const std::string& role, TaskId task, const std::string& what,
                         const Place& place);

  std::string who(TaskId task) { return names_.named_task(task); }
  std::string quoted(std::uint64_t object);

  Explanation take();

 private:
  void add(const WhyPlace& place, std::size_t order);

  struct Ordered {
    std::size_t order;
    WhyPlace place;
  };
  Names& names_;
  ContainerSizes sizes_;
  Explanation result_;
  std::vector<Ordered> places_;
};

// For each kind of bug. Each says nothing if it recognises nothing.
void explain_failure(WhyWriter& writer);  // an assertion, a crash, an exception, an exit
void explain_deadlock(WhyWriter& writer);
void explain_hang(WhyWriter& writer);
void explain_livelock(WhyWriter& writer);
void explain_race(WhyWriter& writer);
void explain_use_after_free(WhyWriter& writer);
void explain_lock_misuse(WhyWriter& writer);
void explain_leak(WhyWriter& writer);

}  // namespace ricercar::inline report
