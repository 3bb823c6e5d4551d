#include "strategy/known_executions.h"

#include <algorithm>

namespace ricercar::inline strategy {

void KnownExecutions::restart() {
  tree_ = ExecutionTree(finds_again_);
  fringe_.clear();
  waiting_.clear();
  path_.clear();
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
void KnownExecutions::add(std::uint32_t depth, std::uint16_t choice, std::uint64_t priority,
                          const std::optional<PredecessorSets::Pair>& pair) {
  const std::uint32_t parent = owner_of(depth);
  tree_.expect_child(parent);
  const bool at_once = finds_again_ || statements_ != nullptr;
  const Fringe::Item item = at_once ? Fringe::Item{tree_.add(parent, depth, choice), 0, 0}
                                    : Fringe::Item{parent, depth, choice};
  if (pair) waiting_[item.node] = {priority, *pair};
  fringe_.push(priority, item);
}

bool KnownExecutions::go_on(const Priorities& priorities) {
  tree_.finish(current());
  if (fringe_.empty()) return false;
  const Fringe::Item item = pop(priorities);
  std::uint32_t node = item.depth == 0 ? item.node : tree_.add(item.node, item.depth, item.choice);
  path_.clear();
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

std::string KnownExecutions::text() const {
  const std::uint64_t bytes = tree_.bytes() + fringe_.size() * sizeof(Fringe::Item);
  return std::to_string(fringe_.size()) + " more are known and wait (a tree of " +
         std::to_string(tree_.size()) + " nodes; " + std::to_string(bytes) +
         " bytes with what waits)";
}

}  // namespace ricercar::inline strategy
