// Priority functions: in which order a best-first search runs what it has found (GAMBIT, section
// 4).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/plain.h"
#include "model/trace.h"
#include "strategy/hapset/statements.h"
#include "strategy/priority_context.h"

namespace ricercar::inline strategy {

// The steps of an execution by task: what a task did next, or wanted to do when the execution
// ended.
class TaskSteps {
 public:
  // `left`: see WantsRest::left. Both must outlive the questions.
  void assign(Trace trace, Trace left) {
    trace_ = trace;
    left_ = left;
    for (std::vector<std::uint32_t>& own : steps_) own.clear();
    for (std::uint32_t i = 0; i < trace.size(); ++i) of(trace[i].task).push_back(i);
  }

  Trace trace() const { return trace_; }

  // The task's first step at `step` or behind it; nullptr: it had none.
  const Step* next(TaskId task, std::uint64_t step) const {
    if (index(task) < steps_.size()) {
      const std::vector<std::uint32_t>& own = steps_[index(task)];
      const auto found = std::lower_bound(own.begin(), own.end(), step);
      if (found != own.end()) return &trace_[*found];
    }
    for (const Step& wanted : left_) {
      if (wanted.task == task) return &wanted;
    }
    return nullptr;
  }

 private:
  std::vector<std::uint32_t>& of(TaskId task) {
    if (index(task) >= steps_.size()) steps_.resize(index(task) + 1);
    return steps_[index(task)];
  }

  Trace trace_;
  Trace left_;
  std::vector<std::vector<std::uint32_t>> steps_;  // by task, in ascending order
};

// A decision that an execution could have taken: `task` instead of the one that was chosen for the
// step `step` of its trace.
struct Candidate {
  Trace trace;
  std::uint64_t step;
  TaskId task;
  std::uint32_t preemptions;   // of the new execution up to and including this decision
  bool preempts = false;       // this decision is one: the task that ran before could have gone on
  bool reverses_race = false;  // partial-order reduction asks for it
  bool is_direct = false;      // ... because of a step of `task` itself, not of one that needs it
  bool sleeps = false;         // `task` sleeps there (CandidateFacts::find_sleepers)
  std::uint64_t past = 0;      // a number for the happens-before relation before the step
  bool shows_new = false;      // statements would follow each other that never did
};

// How many calls tell statements of one line apart, for the priority `hapset`.
inline constexpr std::uint32_t calls_of_priority = 5;

class PriorityFunction {
 public:
  virtual ~PriorityFunction() = default;
  // A new execution, whose candidates come now. `steps` lives until the next one.
  virtual void begin(const TaskSteps&) {}
  // Small numbers are run first.
  virtual std::uint16_t priority(const Candidate& candidate) = 0;
  virtual bool needs_order() const { return false; }
  virtual bool needs_steps() const { return false; }  // otherwise begin() is not called
  // What it has learned can be kept: by save and load, if it learns anything.
  virtual bool can_be_kept() const { return false; }
  virtual void save(KeptOut&) const {}
  virtual void load(KeptIn&) {}
  // For a search that several processes share: why it cannot be; null: it can.
  virtual const char* why_alone() const { return "priorities of the program's own"; }
  // It depends on all candidates before this one, in their order, and of this one on nothing but
  // Candidate::past and the task.
  virtual bool goes_by_order() const { return false; }
  // What it has learned from executions, in so many parts, and from another process. All of it is
  // the same whatever their order was.
  virtual std::uint64_t parts_learned() const { return 0; }
  virtual void tell(ByteWriter&) const {}
  virtual void be_told(ByteReader&) {}
  // Candidate::shows_new is asked for, as these know it.
  virtual std::shared_ptr<Statements> statements() const { return nullptr; }
};

// One that learns nothing.
class PlainPriority : public PriorityFunction {
 public:
  bool can_be_kept() const final { return true; }
  const char* why_alone() const override { return nullptr; }
};

// One priority of a specification: `pb`, or `method=push+pop`.
struct PriorityItem {
  std::string name;
  std::vector<std::string> arguments;  // names of functions or variables
};

struct PriorityInfo {
  std::string_view name;
  std::string_view arguments;  // "FUNCTION[+FUNCTION...]"; empty: it takes none
  std::string_view summary;
  std::unique_ptr<PriorityFunction> (*make)(std::uint64_t seed, const PriorityContext&);
  bool learns_statements = false;
};

// The one table of them.
std::span<const PriorityInfo> priorities();
// nullptr: there is none of this name.
const PriorityInfo* priority_info(std::string_view name);

// The functions that have a file of their own.
std::unique_ptr<PriorityFunction> make_pattern_priority(std::uint64_t seed, const PriorityContext&);

// Takes `mdpor+method=push+pop+pb` apart. The names that follow method= or var= are those of
// functions and variables up to the next name of a priority in the table. Throws UsageError.
std::vector<PriorityItem> parse_priorities(std::string_view text);

// Several functions, the first one decides, the others in case of a tie.
class Priorities {
 public:
  // Throws UsageError for a name that does not exist.
  Priorities(std::string_view text, std::uint64_t seed, const PriorityContext& context = {});
  // Before the candidates of an execution. See WantsRest::left.
  void begin(Trace trace, Trace left);
  std::uint64_t of(const Candidate& candidate) const;
  // The same without those functions that go by the order of candidates, and these added, by who
  // sees all candidates.
  std::uint64_t without_order(const Candidate& candidate) const;
  std::uint64_t in_order(std::uint64_t priority, const Candidate& candidate) const;
  bool go_by_order() const;
  // See PriorityFunction.
  const char* why_alone() const;
  std::uint64_t parts_learned() const;
  void tell(ByteWriter& writer) const;
  void be_told(ByteReader& reader);
  bool need_order() const;
  // Those of the functions that ask for them; nullptr: none does.
  std::shared_ptr<Statements> statements() const;
  bool can_be_kept() const;
  void save(KeptOut& out) const;
  void load(KeptIn& in);
  // As numbers, a small one for each function.
  void write(ByteWriter& writer, std::uint64_t priority) const;
  std::uint64_t read(ByteReader& reader) const;
  // The priority of something that has become known since it was given.
  std::uint64_t of_known(std::uint64_t priority) const;

 private:
  std::vector<std::unique_ptr<PriorityFunction>> functions_;
  TaskSteps steps_;
  bool needs_steps_ = false;
};

}  // namespace ricercar::inline strategy
