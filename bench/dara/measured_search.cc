#include "dara/measured_search.h"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <unordered_set>

#include "base/clock.h"
#include "base/random.h"
#include "engine/measure.h"
#include "nodes/nodes_world.h"
#include "search/world_process.h"
#include "strategy/registry.h"

namespace ricercar::bench {
namespace {

// A state as in the thesis: which blocks were executed on this path so far, and how often each.
class States {
 public:
  void begin_path() { counts_.clear(), state_ = 0; }
  void add(std::span<const BlockCount> blocks) {
    for (const BlockCount& each : blocks) add(each);
    seen_.insert(state_);
  }
  std::size_t distinct() const { return seen_.size(); }

 private:
  void add(const BlockCount& each) {
    if (counts_.size() <= each.block) counts_.resize(each.block + 1, 0);
    std::uint64_t& count = counts_[each.block];
    if (count != 0) state_ -= part(each.block, count);
    count += each.times;
    state_ += part(each.block, count);
  }
  static std::uint64_t part(std::uint64_t block, std::uint64_t count) {
    return mix64(mix64(block + 1) + count);
  }

  std::vector<std::uint64_t> counts_;  // by block
  std::uint64_t state_ = 0;            // the sum of a part for each block
  std::unordered_set<std::uint64_t> seen_;
};

// Lets another one decide, and looks at the clock.
class WatchedStrategy final : public Strategy, public LearnsBlocks {
 public:
  WatchedStrategy(std::unique_ptr<Strategy> inner, bool counts_states)
      : inner_(std::move(inner)), learns_(inner_->as<LearnsBlocks>()) {
    if (learns_ != nullptr || counts_states) capabilities_.add<LearnsBlocks>(this);
  }

  bool begin() override {
    states_.begin_path();
    return inner_->begin();
  }
  void actions(std::span<const std::uint64_t> keys) override {
    const double start = now_seconds();
    if (learns_ != nullptr) learns_->actions(keys);
    before_ = now_seconds() - start;
  }
  std::size_t choose(const ChoicePoint& point) override {
    const double start = now_seconds();
    const std::size_t chosen = inner_->choose(point);
    decisions_.push_back(now_seconds() - start + before_);
    before_ = 0;
    return chosen;
  }
  void covered(std::span<const std::uint64_t> keys, std::uint32_t node,
               std::span<const BlockCount> blocks) override {
    if (learns_ != nullptr) learns_->covered(keys, node, blocks);
    states_.add(blocks);
  }
  void end(Trace trace, const Outcome& outcome) override { inner_->end(trace, outcome); }
  Coverage coverage() const override { return inner_->coverage(); }

  std::size_t states() const { return states_.distinct(); }
  std::vector<double> take_decisions() { return std::move(decisions_); }

 private:
  std::unique_ptr<Strategy> inner_;
  LearnsBlocks* learns_;
  States states_;
  double before_ = 0;  // seconds that this decision took already
  std::vector<double> decisions_;
};

MeasuredPath run_path(NodesWorld& world, WatchedStrategy& strategy) {
  const double start = now_seconds();
  world.restore();
  const ExecutionEnd end = world.run(strategy);
  if (end.has_error) throw std::runtime_error(world.error());
  strategy.end(end.trace, *end.outcome);
  MeasuredPath path;
  path.seconds = now_seconds() - start;
  path.steps = end.trace.size();
  if (end.has_findings) path.bug = info(end.outcome->kind).name;
  path.states = strategy.states();
  return path;
}

Request options_of(const MeasuredRequest& request) {
  Request options;
  options.points = Points::message;
  options.max_steps = request.steps;
  options.strategy = strategy_text(request.strategy);
  return options;
}

MeasuredSearch search(Cluster& cluster, const MeasuredRequest& request) {
  const std::unique_ptr<Control> control = private_control();
  control->request = options_of(request);
  Properties properties("");
  NodesWorld world(*control, cluster, properties, [] { return false; });
  WatchedStrategy strategy(world.new_strategy(), request.counts_states);
  MeasuredSearch measured;
  while (measured.paths.size() < request.paths && strategy.begin()) {
    measured.paths.push_back(run_path(world, strategy));
  }
  measured.decisions = strategy.take_decisions();
  std::sort(measured.decisions.begin(), measured.decisions.end());
  return measured;
}

}  // namespace

double MeasuredSearch::seconds_of_a_path() const { return seconds_at(0.5); }

double MeasuredSearch::seconds_of_a_fast_path() const { return seconds_at(0.1); }

double MeasuredSearch::seconds_at(double share) const {
  std::vector<double> all;
  for (const MeasuredPath& path : paths) all.push_back(path.seconds);
  std::sort(all.begin(), all.end());
  return all.at(static_cast<std::size_t>(share * static_cast<double>(all.size())));
}

double MeasuredSearch::steps_of_a_path() const {
  double steps = 0;
  for (const MeasuredPath& path : paths) steps += static_cast<double>(path.steps);
  return steps / static_cast<double>(paths.size());
}

double MeasuredSearch::decision_at(double share) const {
  if (decisions.empty()) return 0;
  return decisions[static_cast<std::size_t>(share * static_cast<double>(decisions.size() - 1))];
}

MeasuredSearch measure_search(const MeasuredRequest& request) {
  cpu_set_t processors;  // a cluster stays on one
  ::sched_getaffinity(0, sizeof processors, &processors);
  MeasuredSearch measured;
  {
    const ClusterPlan plan = read_cluster(request.cluster);
    Cluster cluster(plan, options_of(request), {-1, request.output});
    measured = search(cluster, request);
  }
  ::sched_setaffinity(0, sizeof processors, &processors);
  return measured;
}

}  // namespace ricercar::bench
