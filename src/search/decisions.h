// Decisions: what a trace must remember to be run again, and the strategy that does so.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/decision_check.h"
#include "model/recording.h"
#include "strategy/strategy.h"

namespace ricercar::inline search {

struct Decisions {
  std::vector<std::uint16_t> choices;
  std::vector<std::uint8_t> checks;
  std::vector<TaskOperation> operations;
};
Decisions decisions_of(Trace trace);

// Follows recorded decisions. Where the program does something else, the execution ends and
// `divergence` says what was expected and what was found.
class ReplayStrategy : public Strategy {
 public:
  // `operations` may be fewer, or none.
  ReplayStrategy(Array<std::uint16_t> choices, Array<std::uint8_t> checks,
                 Array<TaskOperation> operations = {})
      : choices_(choices),
        checks_(checks),
        operations_(operations),
        last_switch_(find_last_switch(choices)) {}

  // Called before the last decision that gives control to another task than the decision before it.
  // `switches`: that is not running already, because nobody else could.
  void (*on_last_switch)(bool switches) = nullptr;

  // From now on the execution goes on where the decisions end: each task until it waits. What could
  // be decided is kept, for a recording.
  void go_on() { goes_on_ = true; }
  // Adds what could be decided, in the memory of the search.
  void record(Recording& recording) const;

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override { return {}; }

  const RecordedDivergence& divergence() const { return divergence_; }

 private:
  std::size_t choose_as_recorded(const ChoicePoint& point);
  void keep(const ChoicePoint& point, std::size_t chosen);
  static std::uint64_t find_last_switch(Array<std::uint16_t> choices);
  std::size_t follow(const ChoicePoint& point, std::uint16_t choice);
  void note_divergence(std::uint64_t step, const std::string& expected, const std::string& found);
  [[noreturn]] void diverge(const ChoicePoint& point, const std::string& expected,
                            const std::string& found);

  Array<std::uint16_t> choices_;
  Array<std::uint8_t> checks_;
  Array<TaskOperation> operations_;
  std::uint64_t last_switch_;
  std::uint64_t next_ = 0;
  RecordedDivergence divergence_ = {};
  bool goes_on_ = false;
  std::vector<RecordedChoice> kept_choices_;
  std::vector<TaskOperation> kept_options_;
};

// Where a recorded decision leads. Throws Nondeterminism if it is not possible.
std::size_t index_of_decision(const ChoicePoint& point, std::uint16_t decision);

// Every execution begins with these decisions; another strategy decides what follows. It never sees
// the first ones, so it must be one that does not look at the trace.
class PrefixedStrategy : public Strategy {
 public:
  PrefixedStrategy(std::vector<std::uint16_t> prefix, std::unique_ptr<Strategy> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override { rest_->end(trace, outcome); }
  Coverage coverage() const override;

 private:
  std::vector<std::uint16_t> prefix_;
  std::unique_ptr<Strategy> rest_;
  std::size_t next_ = 0;
};

}  // namespace ricercar::inline search
