// The core of the reductions that search depth first. A search runs the prefix of the last
// execution again, takes another decision at its deepest point that has one left, and learns from
// the races of what is new behind that point. What is planned at a point, and what a race asks for,
// is up to the strategy.
#pragma once

#include "strategy/decision_points.h"
#include "strategy/execution_races.h"
#include "strategy/strategy.h"

namespace ricercar::inline strategy {

// `Level`: a DecisionPoint with what is planned there. `Offered`: capabilities of the strategy.
template <typename Level, typename... Offered>
class DepthFirstReduction : public StrategyWith<WantsRest, WantsHeap, Offered...> {
 public:
  bool begin() final {
    if (finished_ || is_paused_) return false;
    depth_ = 0;
    is_given_up_ = false;
    return true;
  }

  std::size_t choose(const ChoicePoint& point) final {
    if (depth_ < points_.size()) [[likely]] {
      return replay(point);
    }
    const std::size_t option = extend(point);
    depth_ = points_.size();
    return option;
  }

  void left(Trace pending) final { races_.set_left(pending); }
  void used_heap(HeapTrace heap) final { races_.set_heap(heap); }

  void end(Trace trace, const Outcome& outcome) override {
    ++executions_;
    races_.rewind(branch_step_);
    if (trace.size() > branch_step_) {
      races_.extend(trace, outcome, is_given_up_, branch_step_);
      learn(outcome);
    } else {
      races_.catch_up(trace);
    }
    races_.forget();
    backtrack();
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(points_, races_, depth_, branch_step_, executions_, is_given_up_, finished_);
  }

 protected:
  explicit DepthFirstReduction(ExecutionRaces::Left left = ExecutionRaces::Left::by_task)
      : races_(left) {}

  // A point behind the prefix: pushes its level, and returns the option taken there, or gives up.
  virtual std::size_t extend(const ChoicePoint& point) = 0;
  // Plans what the races of the new part ask for.
  virtual void learn(const Outcome& outcome) = 0;
  // False: other decisions at the last point are not this search's to take, and it ends here.
  virtual bool may_move_on() { return true; }
  // Takes the next decision at a point; false: there is none, and the point goes.
  virtual bool advance(Level& level) = 0;
  // The next execution has been decided on, up to the last level.
  virtual void resume() {}
  // Where the trace of the next execution begins to be new.
  virtual std::uint64_t branch_step_of(const Level& level) const {
    return level.is_value ? races_.slot_start(level.step) : level.step;
  }
  // A decision is not possible when its turn comes.
  virtual std::size_t miss(const ChoicePoint& point) {
    throw Nondeterminism(point.step, points_[depth_ - 1].options, point.options.size());
  }

  // Ends the execution: it would show nothing new.
  std::size_t give_up() {
    is_given_up_ = true;
    return Strategy::cut;
  }
  bool is_given_up() const { return is_given_up_; }

  // The point at which a slot was chosen; no_index: nobody else could run there.
  std::uint32_t point_of(std::uint32_t slot) const { return points_.at_step(races_.step_of(slot)); }

  void restart_search() {
    points_.clear();
    races_.restart();
    branch_step_ = 0;
    finished_ = false;
  }

  // begin() says from now on that there is no execution, until the search is begun elsewhere.
  void pause() { is_paused_ = true; }
  // The next execution is new from this step on, and points_ are what leads there.
  void begin_behind(std::uint64_t step) {
    races_.restart();
    branch_step_ = step;
    executions_ = 0;
    finished_ = is_paused_ = false;
  }
  // Others have run so many.
  void add_executions(std::uint64_t executions) { executions_ += executions; }
  void set_finished() { finished_ = true; }

  bool is_finished() const { return finished_; }
  std::uint64_t executions() const { return executions_; }
  std::uint64_t branch_step() const { return branch_step_; }

  DecisionPoints<Level> points_;
  ExecutionRaces races_;

 private:
  std::size_t replay(const ChoicePoint& point) {
    const Level& level = points_[depth_++];
    if (level.step != point.step || level.options != point.options.size()) [[unlikely]] {
      throw Nondeterminism(point.step, level.options, point.options.size());
    }
    if (level.is_value) return level.chosen;
    if (!point.options.contains(task_id(level.chosen))) [[unlikely]] {
      return miss(point);
    }
    return point.options.position(task_id(level.chosen));
  }

  void backtrack() {
    while (!points_.empty()) {
      if (!may_move_on()) return pause();
      if (advance(points_.back())) {
        branch_step_ = branch_step_of(points_.back());
        return resume();
      }
      points_.pop();
    }
    finished_ = true;
  }

  std::size_t depth_ = 0;          // points of the current execution that have been decided
  std::uint64_t branch_step_ = 0;  // its trace is a new one from here on
  std::uint64_t executions_ = 0;
  bool is_given_up_ = false;
  bool finished_ = false;
  bool is_paused_ = false;
};

}  // namespace ricercar::inline strategy
