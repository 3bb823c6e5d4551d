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
  ahead_.clear();
  turns_.clear();
  numbers_.clear();
  before_.clear();
  guesses_.clear();
  found_ = ExecutionTree::root;
}

bool KnownExecutions::skips_default() const {
  return tree_[path_[next_deviation_ - 1]].passed == FootprintTable::nothing_done;
}

std::vector<Sleeper> KnownExecutions::taken_before(const ChoicePoint& point,
                                                   std::uint16_t by_default) const {
  const ExecutionTree::Node& taken = tree_[path_[next_deviation_ - 1]];
  std::vector<Sleeper> earlier;
  if (!skips_default()) earlier.push_back({by_default, footprints_[taken.passed]});
  if (const auto told = before_.find(path_[next_deviation_ - 1]); told != before_.end()) {
    earlier.insert(earlier.end(), told->second.begin(), told->second.end());
    return earlier;
  }
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
  note_task(choice, false);
  if (is_told()) forget_node(path_.back());
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
  note_task(found.choice, found.is_value);
  const bool at_once = finds_again_ || statements_ != nullptr;
  const Fringe::Item item = at_once ? Fringe::Item{tree_.add(parent, found.depth, found.choice,
                                                             passed_at(found), found.is_value),
                                                   0, 0}
                                    : Fringe::Item{parent, found.depth, found.choice};
  newest_ = item.node;
  if (is_told()) forget_node(item.node);
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
  if (fringe_.empty() && ahead_.empty()) return false;
  const Fringe::Item item = pop(priorities);
  std::uint32_t node = item.depth == 0 ? item.node : tree_.add(item.node, item.depth, item.choice);
  path_.clear();
  tree_.start(node, ++runs_);
  found_ = node;
  for (; node != ExecutionTree::root; node = tree_[node].parent) path_.push_back(node);
  std::reverse(path_.begin(), path_.end());
  return true;
}

Fringe::Item KnownExecutions::pop(const Priorities& priorities) {
  if (comes_ahead()) {
    const Fringe::Item item = ahead_.begin()->second;
    priority_ = ahead_.begin()->first.priority;
    ahead_.erase(ahead_.begin());
    turns_.erase(item.node);
    return item;
  }
  while (true) {
    priority_ = fringe_.turn().priority;
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
  const std::string text =
      std::to_string(fringe_.size() + ahead_.size()) + " known executions wait";
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
  const std::uint64_t waiting = fringe_.size() + ahead_.size();
  const std::uint64_t bytes = tree_.bytes() + waiting * sizeof(Fringe::Item);
  std::string text = std::to_string(waiting) + " more are known and wait (a tree of " +
                     std::to_string(tree_.size()) + " nodes; " + std::to_string(bytes) +
                     " bytes with what waits";
  if (measures && fringe_.size_on_disk() == 0) {
    text += "; a node for each choice would be " + std::to_string(uncompressed_size());
  }
  return text + ")";
}

// --- Ahead of their turn ---

// Whether what comes next was taken ahead.
bool KnownExecutions::comes_ahead() const {
  if (ahead_.empty()) return false;
  return fringe_.empty() || ahead_.begin()->first < fringe_.turn();
}

KnownExecutions::Ahead::const_iterator KnownExecutions::take_ahead() {
  if (fringe_.empty()) return ahead_.end();
  const Turn turn = fringe_.turn();
  const Fringe::Item item = fringe_.pop();
  fringe_.begin_age();
  if (item.depth == 0) turns_.emplace(item.node, turn);
  return ahead_.emplace(turn, item).first;
}

std::uint64_t KnownExecutions::next_priority() const {
  return fringe_.empty() ? ~std::uint64_t{0} : fringe_.turn().priority;
}

// Of all nodes at which it differs by itself.
void KnownExecutions::number_current(std::uint64_t number) {
  numbers_.resize(std::max<std::size_t>(numbers_.size(), tree_.most_nodes()), 0);
  numbers_[found_] = number;
  for (auto node = path_.rbegin(); node != path_.rend() && *node != found_; ++node)
    numbers_[*node] = number;
}

// The node may have been another one's.
void KnownExecutions::forget_node(std::uint32_t node) {
  before_.erase(node);
  guesses_.erase(node);
  if (node < numbers_.size()) numbers_[node] = 0;
}

void KnownExecutions::note_task(std::uint16_t choice, bool is_value) {
  if (!is_value) tasks_ = std::max(tasks_, static_cast<std::uint16_t>(choice + 1));
}

bool KnownExecutions::has_to_wait(const Turn& turn, const Fringe::Item& item) const {
  if (item.depth != 0 || tree_[item.node].is_value) return false;
  const ExecutionTree::Node& node = tree_[item.node];
  for (std::uint16_t task = 0; task < tasks_; ++task) {
    const auto other = turns_.find(tree_.find(node.parent, node.depth, task));
    if (other != turns_.end() && other->second < turn) return true;
  }
  return false;
}

// Who was taken at the point before, with what they did.
void KnownExecutions::write_before(ByteWriter& writer, const ExecutionTree::Node& node) const {
  if (!finds_again_ || node.is_value) return;
  for (std::uint16_t task = 0; task < tasks_; ++task) {
    const std::uint32_t found = tree_.find(node.parent, node.depth, task);
    if (found == ExecutionTree::none || task == node.choice) continue;
    const ExecutionTree::Node& other = tree_[found];
    if (other.run == 0 || (node.run != 0 && other.run > node.run)) continue;
    writer.number(task + std::uint64_t{1});
    footprints_[other.own].write(writer);
  }
}

KnownExecutions::Name KnownExecutions::name_of(const Fringe::Item& item) const {
  ExecutionTree::Node node = tree_[item.node];
  if (item.depth != 0) node = {item.node, 0, 0, item.depth, 0, 0, item.choice, 0, 0, false};
  ByteWriter place, before;
  place.number(node.depth);
  place.number(node.choice);
  write_before(before, node);
  const bool is_first = node.parent == ExecutionTree::none;
  return {is_first ? 0 : numbers_[node.parent], place.take(), before.take()};
}

void KnownExecutions::write_step(ByteWriter& writer, const ExecutionTree::Node& node) const {
  const bool skips_default = node.passed == FootprintTable::nothing_done;
  writer.number(node.depth);
  writer.number(node.choice);
  if (!finds_again_) return;
  writer.number((node.is_value ? 1U : 0U) + (skips_default ? 2U : 0U));
  if (!skips_default) footprints_[node.passed].write(writer);
  write_before(writer, node);
  writer.number(0);
}

std::string KnownExecutions::path_of(const Fringe::Item& item) const {
  std::vector<std::uint32_t> path;
  for (std::uint32_t node = item.node; node != ExecutionTree::root; node = tree_[node].parent)
    path.push_back(node);
  ByteWriter writer;
  writer.number(path.size() + (item.depth != 0 ? 1 : 0));
  for (auto node = path.rbegin(); node != path.rend(); ++node) write_step(writer, tree_[*node]);
  if (item.depth != 0) write_step(writer, {0, 0, 0, item.depth, 0, 0, item.choice, 0, 0, false});
  return writer.take();
}

std::uint32_t KnownExecutions::add_path(std::string_view path, std::uint64_t priority) {
  ByteReader reader(path);
  std::uint32_t node = ExecutionTree::root;
  for (std::uint64_t left = reader.number(); left != 0; --left) {
    node = read_step(reader, node);
    if (left > 1) tree_.start(node, 1);
  }
  if (node != ExecutionTree::root) fringe_.push(priority, {node, 0, 0});
  return node;
}

std::uint32_t KnownExecutions::read_step(ByteReader& reader, std::uint32_t parent) {
  const auto depth = static_cast<std::uint32_t>(reader.number());
  const auto choice = static_cast<std::uint16_t>(reader.number());
  if (!finds_again_) return told_node(parent, depth, choice, 0, false);
  const std::uint64_t kind = reader.number();
  const bool is_value = (kind & 1) != 0;
  const bool skips_default = (kind & 2) != 0;
  const std::uint16_t passed =
      skips_default ? FootprintTable::nothing_done : footprints_.number_of(Footprint::read(reader));
  const std::uint32_t node = told_node(parent, depth, choice, passed, is_value);
  std::vector<Sleeper> before;
  while (const std::uint64_t task = reader.number()) {
    before.push_back({static_cast<std::uint16_t>(task - 1), Footprint::read(reader)});
    const std::uint32_t other = told_node(parent, depth, before.back().task, passed, false);
    tree_.start(other, 1);
    tree_.set_own(other, footprints_.number_of(before.back().footprint));
  }
  before_[node] = std::move(before);
  return node;
}

std::uint32_t KnownExecutions::told_node(std::uint32_t parent, std::uint32_t depth,
                                         std::uint16_t choice, std::uint16_t passed,
                                         bool is_value) {
  note_task(choice, is_value);
  const std::uint32_t found = tree_.find(parent, depth, choice);
  if (found != ExecutionTree::none) {
    tree_.set_passed(found, passed);
    return found;
  }
  tree_.expect_child(parent);
  return tree_.add(parent, depth, choice, passed, is_value);
}

}  // namespace ricercar::inline strategy
