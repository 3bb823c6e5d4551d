#include "strategy/execution_tree.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace ricercar::inline strategy {
namespace {

std::uint32_t find_and_add(ExecutionTree& tree, std::uint32_t parent, std::uint32_t depth,
                           std::uint16_t choice) {
  tree.expect_child(parent);
  return tree.add(parent, depth, choice);
}

bool knows(const ExecutionTree& tree, std::uint32_t parent, std::uint32_t depth,
           std::uint16_t choice) {
  return tree.find(parent, depth, choice) != ExecutionTree::none;
}

void run(ExecutionTree& tree, std::uint32_t node) {
  tree.start(node, 1);
  tree.finish(node);
}

TEST(ExecutionTree, ForgetsANodeWhenItsLastChildHasGone) {
  ExecutionTree tree(false);
  const std::uint32_t a = find_and_add(tree, ExecutionTree::root, 1, 1);
  const std::uint32_t b = find_and_add(tree, a, 2, 0);
  const std::uint32_t c = find_and_add(tree, a, 3, 0);
  run(tree, a);
  EXPECT_EQ(tree.size(), 4U);
  run(tree, b);
  EXPECT_EQ(tree.size(), 3U);
  run(tree, c);  // and with it its parent
  EXPECT_EQ(tree.size(), 1U);
}

// Depths of choices count from 1: a leaves the root at 2, and b leaves a at 5; c leaves
// the root at 4. Down to the deepest child of each: 1 2 3 (root), 2' 3' 4' (a), 5'' (b), 4''' (c),
// and the beginning.
TEST(ExecutionTree, TellsItsSizeWithANodeForEachChoice) {
  ExecutionTree tree(false);
  EXPECT_EQ(tree.uncompressed_size(tree.deepest_children()), 1U);
  const std::uint32_t a = find_and_add(tree, ExecutionTree::root, 2, 1);
  const std::uint32_t c = find_and_add(tree, ExecutionTree::root, 4, 1);
  tree.start(ExecutionTree::root, 1);
  const std::uint32_t b = find_and_add(tree, a, 5, 1);
  run(tree, a);
  EXPECT_EQ(tree.uncompressed_size(tree.deepest_children()), 1U + 3 + 3 + 1 + 1);
  run(tree, c);  // it goes, and the root is needed up to 1 only
  EXPECT_EQ(tree.uncompressed_size(tree.deepest_children()), 1U + 1 + 3 + 1);
  run(tree, b);
  EXPECT_EQ(tree.uncompressed_size(tree.deepest_children()), 1U);
}

TEST(ExecutionTree, KnowsItsChildrenUntilItGoes) {
  ExecutionTree tree(true);
  const std::uint32_t a = find_and_add(tree, ExecutionTree::root, 1, 1);
  const std::uint32_t b = find_and_add(tree, a, 2, 0);
  find_and_add(tree, a, 2, 1);
  run(tree, a);
  run(tree, b);
  EXPECT_TRUE(knows(tree, a, 2, 0));
  EXPECT_TRUE(knows(tree, a, 2, 1));
  EXPECT_FALSE(knows(tree, a, 3, 0));
  EXPECT_TRUE(knows(tree, ExecutionTree::root, 1, 1));
}

// Random growth and decay, compared with a plain set of names.
TEST(ExecutionTree, RemembersExactlyTheChildrenOfLivingNodes) {
  ExecutionTree tree(true);
  std::mt19937_64 random(3);
  std::vector<std::uint32_t> waiting;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint16_t>> of_root;
  std::vector<std::uint32_t> path{ExecutionTree::root};
  for (int i = 0; i < 20000; ++i) {
    const std::uint32_t parent = path.back();
    const auto depth = static_cast<std::uint32_t>(random() % 1000);
    const auto choice = static_cast<std::uint16_t>(random() % 4);
    const bool known = knows(tree, parent, depth, choice);
    if (parent == ExecutionTree::root) {
      EXPECT_EQ(known, of_root.count({parent, depth, choice}) == 1);
      of_root.insert({parent, depth, choice});
    }
    if (!known) waiting.push_back(find_and_add(tree, parent, depth, choice));
    EXPECT_TRUE(knows(tree, parent, depth, choice));
    if (random() % 3 != 0 || waiting.empty()) continue;
    const std::uint32_t next = waiting.back();
    waiting.pop_back();
    run(tree, next);
    if (random() % 2 == 0) path = {ExecutionTree::root};
  }
  while (!waiting.empty()) {
    run(tree, waiting.back());
    waiting.pop_back();
  }
  EXPECT_EQ(tree.size(), 1U);
}

}  // namespace
}  // namespace ricercar::inline strategy
