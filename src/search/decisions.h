// Decisions: what a trace must remember to be run again, and the strategy that does so.
#pragma once

#include <cstdint>
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

  bool begin() override;
  std::size_t choose(const ChoicePoint& point) override;
  void end(Trace trace, const Outcome& outcome) override;
  Coverage coverage() const override { return {}; }

  const RecordedDivergence& divergence() const { return divergence_; }

 private:
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
};

}  // namespace ricercar::inline search
