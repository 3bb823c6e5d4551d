// What a reader who goes through an execution step by step wants to know besides the steps: what
// each of them owes to others, who holds what, and what has which value. Steps are named by their
// indices in Report::all_steps. Plain data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.h"

namespace ricercar::inline report {

// X(name, whether the one step happens before the other because of it, label, what the later one
// does with the earlier one)
#define RICERCAR_LINKS(X)                                                            \
  X(creates, true, "creation", "begins because of")                                  \
  X(joins, true, "join", "has waited for the end of")                                \
  X(hands_over, true, "handed over", "takes what was given back by")                 \
  X(wakes, true, "wake-up", "was woken by")                                          \
  X(synchronises, true, "release and acquire", "sees all up to")                     \
  X(message, true, "message", "gets what was sent by")                               \
  X(reads, false, "value read (puts nothing in order)", "reads what was written by") \
  X(races, false, "data race", "races with")

enum class LinkKind : std::uint8_t {
#define RICERCAR_ENUMERATOR(name, ...) name,
  RICERCAR_LINKS(RICERCAR_ENUMERATOR)
#undef RICERCAR_ENUMERATOR
};

struct LinkKindInfo {
  const char* name;
  bool orders;
  const char* label;
  const char* words;
};

inline constexpr LinkKindInfo link_kinds[] = {
#define RICERCAR_ROW(name, orders, label, words) {#name, orders, label, words},
    RICERCAR_LINKS(RICERCAR_ROW)
#undef RICERCAR_ROW
};

// Between steps of two lanes. Of what follows from other links only the nearest is there.
struct ReportLink {
  LinkKind kind = LinkKind::creates;
  std::size_t from = 0;
  std::size_t to = 0;

  bool operator==(const ReportLink&) const = default;
};

// A lane holds a lock in the steps [from, to).
struct ReportHolding {
  TaskId lane = no_task;
  std::string object;
  bool is_shared = false;  // for reading
  std::size_t from = 0;
  std::size_t to = 0;
};

// Something that has a value at every step: a lock (who has it), what is waited on (by whom), a
// variable, the queue or the state of a machine.
struct ReportEntry {
  std::string kind;  // lock, wait, variable, queue, state
  std::string name;
};

struct ReportChange {
  std::size_t step = 0;  // from here on
  std::size_t entry = 0;
  std::string value;
};

// At this step the search had a choice.
struct ReportChoice {
  struct Option {
    TaskId lane = no_task;
    std::string what;
  };

  std::size_t step = 0;
  std::size_t number = 0;  // among the decisions of the schedule
  std::size_t chosen = 0;
  std::vector<Option> options;
};

// A file of the program's, or the parts of it around the lines that the report is about.
struct ReportSource {
  struct Part {
    unsigned first = 1;  // the number of its first line
    std::vector<std::string> lines;
  };

  std::string file;
  std::vector<Part> parts;
  bool is_newer = false;  // than the program: its lines may be others
};

struct ReportDetail {
  std::vector<ReportLink> links;
  std::vector<ReportHolding> holdings;
  std::vector<ReportEntry> entries;
  std::vector<ReportChange> changes;  // in the order of the steps
  std::vector<ReportChoice> choices;
};

}  // namespace ricercar::inline report
