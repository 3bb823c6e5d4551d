#include "machines/explore.h"

#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "machines/crash_guard.h"
#include "machines/world.h"
#include "model/step_hash.h"
#include "strategy/registry.h"

namespace ricercar::test {
namespace {

using machines::World;

// Looks at the states that another strategy comes through.
class Watcher final : public StrategyWith<KnowsStates, WantsRest> {
 public:
  Watcher(Strategy& watched, Explored& explored) : watched_(watched), explored_(explored) {}

  bool begin() override { return watched_.begin(); }
  std::size_t choose(const ChoicePoint& point) override { return watched_.choose(point); }
  void left(Trace pending) override {
    if (auto* rest = watched_.as<WantsRest>()) rest->left(pending);
  }
  void end(Trace trace, const Outcome& outcome) override { watched_.end(trace, outcome); }
  Coverage coverage() const override { return watched_.coverage(); }
  const SavedState* origin() const override {
    const auto* states = watched_.as<KnowsStates>();
    return states != nullptr ? states->origin() : nullptr;
  }
  bool visit(const State& state) override {
    last_ = state.fingerprint;
    explored_.states.insert(state.fingerprint);
    auto* states = watched_.as<KnowsStates>();
    return states == nullptr || states->visit(state);
  }

  void add_ending(const World& world) {
    if (world.was_cut() || world.reached_step_limit()) return;
    const Outcome& outcome = world.outcome();
    explored_.endings.insert(outcome.is_bug() ? Ending{outcome.kind, outcome.message, {}}
                                              : Ending{OutcomeKind::ok, {}, last_});
  }

 private:
  Strategy& watched_;
  Explored& explored_;
  Fingerprint last_;
};

// Takes one step from each state that it has seen, in every way: an odometer over the choices of
// that step.
class BreadthFirst final : public StrategyWith<KnowsStates> {
 public:
  BreadthFirst(Explored& explored, std::uint64_t limit) : explored_(explored), limit_(limit) {}

  bool begin() override {
    if (started_ && (waiting_.empty() || explored_.states.size() > limit_)) return false;
    choices_at_ = 0;
    at_origin_ = started_;
    return true;
  }
  const SavedState* origin() const override { return started_ ? waiting_.front().get() : nullptr; }

  std::size_t choose(const ChoicePoint& point) override {
    if (choices_at_ == choices_.size()) choices_.push_back({0, point.options.size()});
    return choices_[choices_at_++].taken;
  }

  bool visit(const State& state) override {
    if (std::exchange(at_origin_, false)) return true;
    if (!explored_.states.insert(state.fingerprint).second) return false;
    if (state.enabled.empty()) {
      end_ = state.fingerprint;
      return true;  // the world looks for what may be wrong with an end
    }
    waiting_.push_back(state.keeper->save());
    return false;
  }

  void end(Trace, const Outcome& outcome) override {
    if (outcome.is_bug()) {
      explored_.endings.insert({outcome.kind, outcome.message, {}});
    } else if (end_) {
      explored_.endings.insert({OutcomeKind::ok, {}, *end_});
    }
    end_.reset();
    if (!started_) {
      started_ = true;
      return;
    }
    while (!choices_.empty() && ++choices_.back().taken == choices_.back().options) {
      choices_.pop_back();
    }
    if (choices_.empty()) waiting_.pop_front();
  }

  Coverage coverage() const override { return {}; }
  bool finished() const { return waiting_.empty(); }

 private:
  struct Choice {
    std::size_t taken;
    std::size_t options;
  };

  Explored& explored_;
  const std::uint64_t limit_;
  bool started_ = false;
  bool at_origin_ = false;
  std::optional<Fingerprint> end_;  // of the current execution
  std::deque<std::unique_ptr<SavedState>> waiting_;
  std::vector<Choice> choices_;
  std::size_t choices_at_ = 0;
};

}  // namespace

Explored explore(const SetUp& set_up, const std::string& specification, std::uint64_t limit) {
  machines::install_crash_guard();
  Explored explored;
  const machines::InitialSystem system = machines::make_system(set_up);
  const auto strategy = make_strategy(specification, 1, {});
  Watcher watcher(*strategy, explored);
  World world(system, 100000);
  world.remember_handlers();
  while (explored.executions < limit) {
    if (!watcher.begin()) {
      explored.finished = true;
      break;
    }
    ++explored.executions;
    world.run(watcher);
    if (!world.strategy_error().empty()) throw std::runtime_error(world.strategy_error());
    watcher.add_ending(world);
    watcher.left(world.left());
    watcher.end(world.trace(), world.outcome());
  }
  explored.coverage = strategy->coverage().text;
  explored.complete = strategy->coverage().complete;
  return explored;
}

std::vector<Walk> walk(const SetUp& set_up, std::uint64_t executions, bool remembers) {
  machines::install_crash_guard();
  const machines::InitialSystem system = machines::make_system(set_up);
  const auto strategy = make_strategy("random", 1, {});
  World world(system, 100000);
  if (remembers) world.remember_handlers();
  std::vector<Walk> walks;
  while (walks.size() < executions && strategy->begin()) {
    const Outcome& outcome = world.run(*strategy);
    walks.push_back({hash_of(world.trace()), outcome.message});
    strategy->end(world.trace(), outcome);
  }
  return walks;
}

Explored explore_breadth_first(const SetUp& set_up, std::uint64_t limit) {
  machines::install_crash_guard();
  Explored explored;
  const machines::InitialSystem system = machines::make_system(set_up);
  BreadthFirst search(explored, limit);
  // Runs every handler, whatever is known of it.
  World world(system, 100000);
  while (search.begin()) {
    ++explored.executions;
    world.run(search);
    search.end(world.trace(), world.outcome());
  }
  explored.finished = search.finished();
  return explored;
}

}  // namespace ricercar::test
