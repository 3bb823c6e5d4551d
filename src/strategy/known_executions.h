// The executions that a best-first search knows of: those that have been run, as far as they can be
// found again, and those that wait, by priority. Each one is named by where it differs from the
// default behaviour (execution_tree.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/choice.h"
#include "strategy/execution_tree.h"
#include "strategy/fringe.h"
#include "strategy/priority.h"
#include "strategy/registry.h"
#include "strategy/sleep_set.h"

namespace ricercar::inline strategy {

class KnownExecutions {
 public:
  // `finds_again`: what has been run may be found once more. `statements`: may be null; what would
  // show something new about them may have become known while it waited, and then it waits on.
  KnownExecutions(bool finds_again, const Statements* statements, const Resources& resources)
      : finds_again_(finds_again),
        statements_(statements),
        tree_(finds_again),
        fringe_(resources.memory, resources.file) {}

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(tree_, fringe_, waiting_, path_, next_deviation_, depth_, runs_, footprints_);
  }

  // Only the one that behaves by default everywhere is known, and it comes next.
  void restart();

  // The current execution runs from its start.
  void begin() {
    next_deviation_ = 0;
    depth_ = tree_[current()].depth;
  }
  // It differs from the default at a point of this depth, counted from 1.
  bool differs_at(std::size_t depth) const {
    return next_deviation_ < path_.size() && tree_[path_[next_deviation_]].depth == depth;
  }
  // What is chosen there.
  std::uint16_t take_deviation() { return tree_[path_[next_deviation_++]].choice; }
  // At the last deviation that was taken: nobody has taken the default there.
  bool skips_default() const;
  // Who was taken there before, with what they did. `by_default`: the default of the point.
  std::vector<Sleeper> taken_before(const ChoicePoint& point, std::uint16_t by_default) const;
  // The current execution cannot go on by default, and chooses this at a new point of this depth.
  void detour(std::uint32_t depth, std::uint16_t choice);
  // It has come to all points at which it differs.
  bool has_arrived() const { return next_deviation_ == path_.size(); }
  // How many points it shares with the one that it was found by, the one where it differs included.
  std::uint32_t depth() const { return depth_; }

  // The one that is as the current one before this depth, and chooses this there.
  bool contains(std::uint32_t depth, std::uint16_t choice) const {
    return tree_.find(owner_of(depth), depth, choice) != ExecutionTree::none;
  }
  struct Found {
    std::uint32_t depth;
    std::uint16_t choice;
    std::uint64_t priority;
    Footprint passed;  // what the current one did at the point, if what has been run is found again
    std::optional<PredecessorSets::Pair> pair;  // what it would show that is new
  };
  // It must not be known.
  void add(const Found& found);
  // Calls footprint_at(depth) for the new points at which the current one has differed: what it did
  // there.
  template <typename FootprintAt>
  void note_own(FootprintAt footprint_at) {
    for (const std::uint32_t node : path_) {
      const std::uint32_t depth = tree_[node].depth;
      if (depth >= depth_) tree_.set_own(node, footprints_.number_of(footprint_at(depth)));
    }
  }

  // The current one has been run, and all that it tells has been added; the best of those that wait
  // becomes the current one. False: none waits.
  bool go_on(const Priorities& priorities);

  std::string progress() const;
  // `measures`: with the size of a tree that has a node for each choice, which takes time.
  std::string text(bool measures) const;

 private:
  std::uint64_t uncompressed_size() const;
  struct Waiting {
    std::uint64_t priority;
    PredecessorSets::Pair pair;

    template <typename Archive>
    void serialize(Archive& archive) {
      archive(priority, plain(pair));
    }
  };

  std::uint32_t current() const { return path_.empty() ? ExecutionTree::root : path_.back(); }
  std::uint32_t owner_of(std::uint32_t depth) const;
  std::uint16_t passed_at(const Found& found);
  Fringe::Item pop(const Priorities& priorities);

  const bool finds_again_;
  const Statements* statements_;
  ExecutionTree tree_;
  Fringe fringe_;
  std::unordered_map<std::uint32_t, Waiting> waiting_;  // by node: what shows something new
  std::vector<std::uint32_t> path_;  // the current one and the nodes above it, from the top
  std::size_t next_deviation_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t runs_ = 1;
  FootprintTable footprints_;
};

}  // namespace ricercar::inline strategy
