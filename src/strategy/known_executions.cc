#include "strategy/known_executions.h"

#include <algorithm>

namespace ricercar::inline strategy {

void KnownExecutions::restart() {
  tree_ = ExecutionTree(finds_again_);
  fringe_.clear();
  waiting_.clear();
  path_.clear();
  runs_ = 1;
  footprints_ = {};
}

bool KnownExecutions::skips_default() const {
  return tree_[path_[next_deviation_ - 1]].passed == FootprintTable::nothing_done;
}

std::vector<Sleeper> KnownExecutions::taken_before(const ChoicePoint& point,
                                                   std::uint16_t by_default) const {
  const ExecutionTree::Node& taken = tree_[path_[next_deviation_ - 1]];
  std::vector<Sleeper> earlier;
  if (!skips_default()) earlier.push_back({by_default, footprints_[taken.passed]});
  point.options.for_each([&](const Option& option, std::uint32_t) {
    const auto task = static_cast<std::uint16_t>(index(option.task));
    const std::uint32_t node = tree_.find(taken.parent, taken.depth, task);
    if (node == ExecutionTree::none) return;
    const ExecutionTree::Node& sibling = tree_[node];
    if (sibling.run != 0 && sibling.run < taken.run) {
      earlier.push_back({task, footprints_[sibling.own]});
    }
  });
  return earlier;
}

void KnownExecutions::detour(std::uint32_t depth, std::uint16_t choice) {
  const std::uint32_t parent = current();
  tree_.expect_child(parent);
  path_.push_back(tree_.add(parent, depth, choice, FootprintTable::nothing_done));
  tree_.start(path_.back(), runs_);
  next_deviation_ = path_.size();
}

// The execution whose own part a point belongs to: the last one on the path that differs before.
std::uint32_t KnownExecutions::owner_of(std::uint32_t depth) const {
  std::uint32_t owner = ExecutionTree::root;
  for (const std::uint32_t node : path_) {
    if (tree_[node].depth >= depth) break;
    owner = node;
  }
  return owner;
}

// Where an execution could be found again, or its priority may change, its node is made at once, to
// know it by.
void KnownExecutions::add(const Found& found) {
  const std::uint32_t parent = owner_of(found.depth);
  tree_.expect_child(parent);
  const bool at_once = finds_again_ || statements_ != nullptr;
  const Fringe::Item item =
      at_once ? Fringe::Item{tree_.add(parent, found.depth, found.choice, passed_at(found)), 0, 0}
              : Fringe::Item{parent, found.depth, found.choice};
  if (found.pair) waiting_[item.node] = {found.priority, *found.pair};
  fringe_.push(found.priority, item);
}

// All that are known at one point have passed the same.
std::uint16_t KnownExecutions::passed_at(const Found& found) {
  if (!finds_again_) return FootprintTable::everything;
  for (const std::uint32_t node : path_) {
    if (tree_[node].depth == found.depth) return tree_[node].passed;
  }
  return footprints_.number_of(found.passed);
}

bool KnownExecutions::go_on(const Priorities& priorities) {
  tree_.finish(current());
  if (fringe_.empty()) return false;
  const Fringe::Item item = pop(priorities);
  std::uint32_t node = item.depth == 0 ? item.node : tree_.add(item.node, item.depth, item.choice);
  path_.clear();
  tree_.start(node, ++runs_);
  for (; node != ExecutionTree::root; node = tree_[node].parent) path_.push_back(node);
  std::reverse(path_.begin(), path_.end());
  return true;
}

Fringe::Item KnownExecutions::pop(const Priorities& priorities) {
  while (true) {
    const Fringe::Item item = fringe_.pop();
    const auto found = waiting_.find(item.node);
    if (item.depth != 0 || found == waiting_.end()) return item;
    const Waiting waiting = found->second;
    waiting_.erase(found);
    if (!statements_->sets().contains(waiting.pair)) return item;
    fringe_.push(priorities.of_known(waiting.priority), item);
  }
}

std::string KnownExecutions::progress() const {
  const std::string text = std::to_string(fringe_.size()) + " known executions wait";
  if (fringe_.size_on_disk() == 0) return text;
  return text + ", " + std::to_string(fringe_.size_on_disk()) + " of them on disk";
}

std::uint64_t KnownExecutions::uncompressed_size() const {
  std::vector<std::uint32_t> deepest = tree_.deepest_children();
  std::uint64_t leaves = 0;
  fringe_.for_each([&](const Fringe::Item& item) {
    if (item.depth == 0) return;  // it is a node
    deepest[item.node] = std::max(deepest[item.node], item.depth);
    ++leaves;
  });
  return leaves + tree_.uncompressed_size(deepest);
}

std::string KnownExecutions::text(bool measures) const {
  const std::uint64_t bytes = tree_.bytes() + fringe_.size() * sizeof(Fringe::Item);
  std::string text = std::to_string(fringe_.size()) + " more are known and wait (a tree of " +
                     std::to_string(tree_.size()) + " nodes; " + std::to_string(bytes) +
                     " bytes with what waits";
  if (measures && fringe_.size_on_disk() == 0) {
    text += "; a node for each choice would be " + std::to_string(uncompressed_size());
  }
  return text + ")";
}

}  // namespace ricercar::inline strategy
