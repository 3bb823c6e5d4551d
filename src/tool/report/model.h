// A report as data, the same for all worlds: lanes (who acts: threads, machines), the steps that a
// reader should see, and what is known about the bug. Text, JSON and every other format are written
// from this alone (reporters.h); it is made from a recording (build.h). Plain data.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/execution_size.h"
#include "model/last_chance.h"
#include "model/outcome.h"
#include "model/worlds.h"
#include "report/detail.h"
#include "report/place.h"

namespace ricercar::inline report {

struct Lane {
  TaskId id = no_task;
  bool is_timer = false;
  std::string name;   // T1, Server#2
  std::string title;  // what it runs: its own name, or the outermost function; empty: unknown
  bool has_run = true;
  std::uint64_t steps = 0;   // machines: how many there were, with those that are not shown
  TaskId creator = no_task;  // no_task: it was there from the start
  Place created;
  // A machine at the end: its state, its variables, the events in its queue, and all in words.
  std::string phase;  // receiving, halted or crashed; empty: nothing of that
  std::string state;
  std::string variables;
  std::string queue;
  std::string ending;
};

struct ReportStep {
  // Instead of a step: what was left out here.
  struct Gap {
    std::uint64_t left_out = 0;     // so many steps are not shown
    std::uint64_t period = 0;       // or: the last so many steps come again,
    std::uint64_t repetitions = 0;  // so many times (0: nobody has counted),
    bool for_ever = false;          // and so on

    bool is_one() const { return left_out != 0 || period != 0; }
  };

  std::uint64_t number = 0;  // of the step, from 1 on; 0: not a step of its own
  // What it is in the recording, from 1 on; 0: nothing, as what ended the execution. Tells which
  // steps of a short report and of a full one are the same.
  std::uint64_t event = 0;
  TaskId lane = no_task;
  std::string what;       // in words
  std::string operation;  // the name of its kind; empty: what ended the execution
  std::string object;     // what it is about: a variable, a thread, an event; may be empty
  std::string value;      // read, written, chosen, ...; may be empty
  Place place;
  bool switched = false;  // another lane than the last step's
  bool preempts = false;
  TaskId first_created = no_task;  // the lanes that begin here
  TaskId last_created = no_task;
  bool ends = false;        // the lane ends here
  bool is_outcome = false;  // where it went wrong
  // Messages: to whom, in which state of the receiver, and the number of the step that has sent
  // what is received here (0: none is known).
  TaskId receiver = no_task;
  std::string state;
  std::uint64_t sent_by = 0;
  // Machines, with `full`: what those are with this step that have changed.
  struct Condition {
    TaskId lane = no_task;
    std::string state;  // may be empty
    std::string variables;
  };
  std::vector<Condition> becomes;
  Gap gap;
  // A lock that is given back before anybody else goes on: the number of that step, which has no
  // row of its own. 0: there is none.
  std::uint64_t until = 0;
  // What one line does without anybody in between is one row: its steps and accesses, if it has
  // several. Then `number` is that of the first step.
  std::vector<ReportStep> parts;
};

// What a lane holds at the end, and where it took that.
struct ReportHold {
  std::string object;
  Place place;
};

// A lane that cannot go on.
struct ReportWait {
  TaskId lane = no_task;
  std::string what;  // "waits for queue.mutex_"
  std::string operation;
  std::string object;
  Place place;
  std::vector<TaskId> awaited;  // who would have to go on first; empty: unknown
  std::vector<ReportHold> holds;
};

// A place that the bug is about.
struct BugPlace {
  // waits, reads, writes, frees, destroys, spins, creates (a thread that leaks), or fails; after:
  // where the thread was seen last, if nobody knows where it failed.
  std::string role;
  TaskId lane = no_task;
  Place place;
  std::string what;  // with what it is about: "writes counter"; may be empty
  CallStack stack;
  // The locks that were held there, if they are known.
  bool knows_holds = false;
  std::vector<ReportHold> holds;
};

// A block of the heap.
struct ReportBlock {
  std::string name;  // `block 1`, `Node#2`
  std::uint64_t size = 0;
  TaskId lane = no_task;  // who has allocated it; no_task: from before main
  bool knows_place = false;
  Place place;
};

// A place that the explanation names, and what was done there.
struct WhyPlace {
  std::string role;  // reads, writes, locks, waits, signals, frees, ...
  TaskId lane = no_task;
  std::uint64_t number = 0;  // of the step; 0: a plain access, or what did not happen any more
  std::string what;          // "reads counter = 0"
  Place place;
};

// Why it went wrong, as far as the trace proves it.
struct Why {
  std::string pattern;                 // the name of what was recognised: "lost-update"
  std::vector<std::string> sentences;  // for people, in their order
  std::vector<WhyPlace> places;        // in the order in which things happened

  bool is_known() const { return !sentences.empty(); }
};

// The execution is not the one that the search has found, but a shorter one that fails in the same
// way.
struct ShorterExecution {
  ExecutionSize before;
  ExecutionSize after;
  std::uint64_t executions = 0;  // that were tried
  std::string original;          // the schedule of the one that was found
};

// Until when it could still be avoided, as far as a search among its continuations has found out.
struct ReportChance : LastChance {
  TaskId lane = no_task;     // who goes on there, if the recording tells it
  std::uint64_t number = 0;  // of the step; 0: nothing passes, or the recording does not tell it
  std::string taken;         // "T2 unlocks `mutex` at a.cc:14 (step 5)"; may be empty
  std::string instead;       // "T1 locks `mutex` at a.cc:12"; may be empty
  std::string passing;       // the schedule of the execution that passes; may be empty
  bool is_conflict = false;  // the two are about the same object, and their order matters to it
  bool is_told = false;      // Why says already what was done, and what instead
  bool is_in_round = false;  // which comes again and again, and with it this chance
  std::string order;         // what is received in another order; may be empty
  std::uint64_t order_event = 0;
  std::vector<std::string> sentences;  // all that for people
};

// What another search met that went on past a data race.
struct PastRace {
  std::uint64_t executions = 0;
  bool is_complete = false;  // there are no others
  std::string kind;          // of what went wrong there; empty: nothing did
  std::string headline;
  std::uint64_t execution = 0;  // in which it did
  std::string schedule;         // the file; empty: it could not be saved
};

struct Report {
  WorldKind world = WorldKind::threads;
  // What it is about. `kind` and `message` are what the search saw.
  std::string kind;
  std::string message;
  std::string headline;  // the same with names, in one sentence
  bool has_recording = true;
  bool is_same_bug = true;  // the replay has shown it
  std::string warning;      // what a reader must know first; may be empty
  bool has_debug_information = true;
  // Where it comes from.
  std::string program;
  std::vector<std::string> arguments;
  std::string strategy;
  std::uint64_t seed = 0;
  std::uint64_t execution = 0;
  std::string schedule;           // the file; empty: it could not be saved
  std::string tool = "ricercar";  // how to call it where the reader is
  std::optional<ShorterExecution> minimised;
  // It goes round for ever and is told up to the end of the first round; every replay goes round up
  // to so many steps. 0: all of it is told.
  std::uint64_t followed_steps = 0;
  std::string not_minimised;  // why nothing was tried; empty: something was, or nobody wanted it
  // What happened.
  OutcomeKind outcome = OutcomeKind::ok;  // of the replay
  TaskId lane = no_task;                  // in which it showed
  std::vector<Lane> lanes;
  std::vector<ReportStep> steps;
  std::uint64_t step_count = 0;  // with those that are not shown
  std::uint64_t preemptions = 0;
  bool is_truncated = false;  // the beginning was too long to record
  // What the bug is about: the one where it showed comes first.
  std::vector<BugPlace> places;
  Why why;
  std::optional<ReportChance> last_chance;  // if somebody has looked
  CallStack stack;                          // of `lane`
  std::vector<ReportWait> waits;            // a deadlock; those that wait for each other come first
  // A use after free: who had allocated the memory, and where.
  bool knows_block = false;
  TaskId allocated_by = no_task;  // no_task: before main began
  CallStack allocated;
  // A data race: code without instrumentation that may order the accesses, unseen.
  std::vector<std::string> unseen;
  std::optional<PastRace> past_race;         // if somebody has looked
  std::vector<ReportBlock> blocks;           // that have names
  std::map<std::string, std::string> files;  // outside of the working folder: name and path
  std::string output;                        // the end of what the program wrote
  bool is_output_cut = false;
  bool is_full = false;  // nothing is left out
  // For formats that show an execution step by step, if it was asked for: every step, and what
  // there is to know besides.
  std::vector<ReportStep> all_steps;
  std::optional<ReportDetail> detail;
  std::vector<ReportSource> sources;
  // An execution that is the same up to a decision, and in which nothing goes wrong; may be null.
  std::shared_ptr<const Report> passing;
  // The execution that the search has found, if this one is a shorter one; may be null.
  std::shared_ptr<const Report> original;

  // Why it went wrong, and until when it could be avoided.
  std::vector<std::string> reasons() const {
    std::vector<std::string> all = why.sentences;
    if (last_chance) {
      all.insert(all.end(), last_chance->sentences.begin(), last_chance->sentences.end());
    }
    return all;
  }
  bool is_told_by_address() const { return info(world).told == Told::by_address; }
  const Lane* find_lane(TaskId id) const {
    for (const Lane& each : lanes) {
      if (each.id == id) return &each;
    }
    return nullptr;
  }
  std::string name(TaskId id) const {
    const Lane* found = find_lane(id);
    if (found != nullptr) return found->name;
    return (is_told_by_address() ? "T" : "#") + std::to_string(index(id));
  }
  std::string title(TaskId id) const {
    const Lane* found = find_lane(id);
    return found == nullptr ? "" : found->title;
  }
  // T1 (producer)
  std::string titled(TaskId id) const {
    return title(id).empty() ? name(id) : name(id) + " (" + title(id) + ")";
  }
};

}  // namespace ricercar::inline report
