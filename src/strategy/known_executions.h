// The executions that a best-first search knows of: those that have been run, as far as they can be
// found again, and those that wait, by priority. Each one is named by where it differs from the
// default behaviour (execution_tree.h).
//
// Of a search that several processes share (bestfirst_pieces.h) one of them has all of it and runs
// nothing: it takes some of those that wait ahead of their turn, to hand them out. The others know
// what they were given, and what they have found from there on.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/bytes.h"
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
  // The same, and it is sure: see `guess`.
  bool contains_surely(std::uint32_t depth, std::uint16_t choice) const {
    const std::uint32_t node = tree_.find(owner_of(depth), depth, choice);
    return node != ExecutionTree::none && guesses_.count(node) == 0;
  }
  struct Found {
    std::uint32_t depth;
    std::uint16_t choice;
    std::uint64_t priority;
    Footprint passed;  // what the current one did at the point, if what has been run is found again
    std::optional<PredecessorSets::Pair> pair;  // what it would show that is new
    bool is_value = false;
  };
  // It must not be known.
  void add(const Found& found);
  // Calls footprint_at(depth) for the new points at which the current one has differed: what it did
  // there.
  template <std::invocable<std::uint32_t> FootprintAt>
  void note_own(FootprintAt footprint_at) {
    for (const std::uint32_t node : path_) {
      const std::uint32_t depth = tree_[node].depth;
      if (depth >= depth_) tree_.set_own(node, footprints_.number_of(footprint_at(depth)));
    }
  }

  // The same with what it did at them, in their order.
  void note_own(std::span<const Footprint> footprints) {
    auto next = footprints.begin();
    note_own([&next](std::uint32_t) { return *next++; });
  }
  // The point is one that the execution it was found by has not come to.
  bool is_own(std::uint32_t depth) const { return depth > depth_; }
  // The point is one of an execution that was numbered.
  bool is_numbered(std::uint32_t depth) const {
    const std::uint32_t owner = owner_of(depth);
    return owner < numbers_.size() && numbers_[owner] != 0;
  }
  // As `add`, but whether it is added in the search depends on what others find.
  void guess(const Found& found) {
    add(found);
    guesses_.insert(newest_);
  }

  // The current one has been run, and all that it tells has been added; the best of those that wait
  // becomes the current one. False: none waits.
  bool go_on(const Priorities& priorities);

  // --- Ahead of their turn ---

  using Turn = Fringe::Turn;
  using Ahead = std::map<Turn, Fringe::Item>;

  // What comes first of those that wait in no one's hands is taken ahead of its turn, which stays.
  // The end: none waits.
  Ahead::const_iterator take_ahead();
  const Ahead& ahead() const { return ahead_; }
  // The priority of what comes first of the others; the last one there is: none waits.
  std::uint64_t next_priority() const;
  bool comes_before(const Turn& turn) const { return !fringe_.empty() && fringe_.turn() < turn; }
  std::uint64_t waiting() const { return fringe_.size(); }

  // Whoever has run an execution gives it a number, by which those that it has found are known.
  void number_current(std::uint64_t number);
  // One that waits, or the current one: which one has found it, and where it differs from that.
  struct Name {
    std::uint64_t finder;  // its number
    std::string place;
    std::string before;  // who was taken there before: without that it is another execution
  };
  Name name() const { return name_of({found_, 0, 0}); }
  Name name_of(const Fringe::Item& item) const;
  // Somebody who will be taken at the same point before it waits ahead of his turn.
  bool has_to_wait(const Turn& turn, const Fringe::Item& item) const;
  // Those that wait ahead of their turn at the last point at which the current one was to differ.
  template <typename Visit>
  void for_each_sibling_ahead(Visit visit) const;

  // All that somebody else has to know to run it.
  std::string path() const { return path_of({found_, 0, 0}); }
  std::string path_of(const Fringe::Item& item) const;
  // Only what was found from a few others on is here.
  void stay_in_memory() { fringe_.stay_in_memory(); }
  // One that waits here from now on, because of what path_of() has told. Returns its node.
  std::uint32_t add_path(std::string_view path, std::uint64_t priority);
  // What the current one waited with.
  std::uint64_t current_priority() const { return priority_; }
  bool is_guess() const { return guesses_.count(found_) != 0; }
  // The node of the current one as it was found.
  std::uint32_t found_node() const { return found_; }

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
  bool comes_ahead() const;
  bool is_told() const { return !before_.empty() || !guesses_.empty(); }
  void forget_node(std::uint32_t node);
  void note_task(std::uint16_t choice, bool is_value);
  void write_before(ByteWriter& writer, const ExecutionTree::Node& node) const;
  void write_step(ByteWriter& writer, const ExecutionTree::Node& node) const;
  std::uint32_t read_step(ByteReader& reader, std::uint32_t parent);
  std::uint32_t told_node(std::uint32_t parent, std::uint32_t depth, std::uint16_t choice,
                          std::uint16_t passed, bool is_value);
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

  // Of a search that is shared.
  Ahead ahead_;
  std::unordered_map<std::uint32_t, Turn> turns_;  // of these, by node
  std::vector<std::uint64_t> numbers_;             // by node
  std::uint16_t tasks_ = 0;                        // more than any that was taken
  std::uint32_t found_ = 0;
  std::uint64_t priority_ = 0;
  std::uint32_t newest_ = 0;                                        // node that was added
  std::unordered_set<std::uint32_t> guesses_;                       // nodes
  std::unordered_map<std::uint32_t, std::vector<Sleeper>> before_;  // by node of a path: as told
};

template <typename Visit>
void KnownExecutions::for_each_sibling_ahead(Visit visit) const {
  const ExecutionTree::Node& node = tree_[found_];
  if (!finds_again_ || found_ == ExecutionTree::root || node.is_value) return;
  for (std::uint16_t task = 0; task < tasks_; ++task) {
    const auto turn = turns_.find(tree_.find(node.parent, node.depth, task));
    if (turn != turns_.end()) visit(turn->second);
  }
}

}  // namespace ricercar::inline strategy
