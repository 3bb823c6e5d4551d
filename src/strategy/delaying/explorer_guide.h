// A delaying explorer as a guide: tells it what happens, and turns delays into options. The k-th
// task costs k delays. Of the values that a program asks for the one that the explorer names costs
// nothing, and each other one costs one delay, as an `if ($)` of P does.
#pragma once

#include <ricercar/explorer.h>

#include <string>

#include "strategy/delaying/explorers.h"
#include "strategy/delaying/guide.h"

namespace ricercar::inline strategy {

class Parameters;

// From the parameters `explorer` and `check`.
std::unique_ptr<Guide> make_explorer_guide(const Parameters& parameters);

class ExplorerGuide final : public Guide {
 public:
  // The first `checked` states are checked for the explorer's soundness. Throws UsageError where
  // the explorer breaks its contract.
  ExplorerGuide(NamedExplorer explorer, std::uint64_t checked);
  ExplorerGuide(const ExplorerGuide& other);
  ExplorerGuide& operator=(const ExplorerGuide&) = delete;

  std::unique_ptr<Guide> copy() const override { return std::make_unique<ExplorerGuide>(*this); }
  void enter(const State& state) override;
  void resume() override { seen_ = 0; }
  std::uint32_t option(const ChoicePoint& point, std::uint32_t alternative) override;
  std::uint32_t order(std::uint16_t* tasks, std::uint32_t most) const override;
  void take(std::uint32_t alternative) override { take(alternative, seen_); }
  bool orders_values() const override { return common_->is_own; }
  std::unique_ptr<Guide> redrawn(std::uint64_t seed) const override;
  std::uint64_t cost(const ChoicePoint& point, std::uint32_t alternative) const override {
    return point.kind == ChoiceKind::value && alternative != 0 ? 1 : alternative;
  }
  std::uint64_t identity() const override { return explorer_->identity(); }
  std::size_t bytes() const override { return sizeof(*this) + 128; }

 private:
  // Shared by all copies.
  struct Common {
    std::string name;
    std::uint64_t left_to_check;
    bool is_own;                                               // of the program
    std::unique_ptr<DelayingExplorer> (*draw)(std::uint64_t);  // nullptr: it is not random
  };

  void learn(const Step& step);
  TaskId who_ran(const State& state) const;
  void start(TaskId task);
  void send(TaskId from, TaskId to);
  void start_all(const TaskSet& tasks);
  void compare(const TaskSet& enabled);
  void take(std::uint32_t alternative, std::uint64_t step);
  unsigned next(std::uint64_t step) const { return next(*explorer_, step); }
  unsigned next(const DelayingExplorer& explorer, std::uint64_t step) const;
  std::uint32_t value_at(const ChoicePoint& point, std::uint32_t alternative) const;
  void check_soundness(std::uint64_t step);
  EnabledTasks enabled() const {
    return {enabled_.words().data(), static_cast<unsigned>(enabled_.words().size())};
  }

  std::shared_ptr<Common> common_;
  std::unique_ptr<DelayingExplorer> explorer_;
  std::uint64_t seen_ = 0;     // steps of the trace
  TaskSet enabled_;            // in the last state
  TaskSet known_;              // have been started
  TaskSet told_;               // have been sent to since the last state, or are new
  TaskId running_ = no_task;   // runs from the last state on
  bool running_ended_ = true;  // and has come to its end
};

}  // namespace ricercar::inline strategy
