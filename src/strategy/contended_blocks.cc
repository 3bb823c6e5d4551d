#include "strategy/contended_blocks.h"

#include <algorithm>

namespace ricercar::inline strategy {
namespace {

constexpr std::uint32_t everything = ~std::uint32_t{0};

}  // namespace

void ContendedBlocks::make_room(TaskId task) {
  if (index(task) < known_.size()) return;
  known_.resize(index(task) + std::size_t{1});
  for (Known& known : known_) known.resize(known_.size(), 0);
}

// What creations and joins say about the order of steps.
void ContendedBlocks::follow(const Step& step, std::uint32_t at) {
  if (step.kind == OperationKind::create) {
    const TaskId created = task_id(static_cast<std::uint32_t>(step.value));
    make_room(step.task);
    make_room(created);
    known_[index(created)] = known_[index(step.task)];
    known_[index(created)][index(step.task)] = at;
  } else if (step.kind == OperationKind::join && (step.flags & step_failed) == 0) {
    make_room(step.task);
    make_room(task_id(static_cast<std::uint32_t>(step.object)));
    Known& own = known_[index(step.task)];
    const Known& others = known_[step.object];
    std::transform(own.begin(), own.end(), others.begin(), own.begin(),
                   [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    own[step.object] = everything;
  }
}

bool ContendedBlocks::is_over(const Touched& earlier, TaskId task) const {
  return earlier.step < known_[index(task)][index(earlier.task)];
}

void ContendedBlocks::touch(const HeapUse& use) {
  make_room(use.task);
  std::vector<Touched>& all = touched_[use.block];
  bool is_noted = false;
  for (Touched& earlier : all) {
    if (earlier.task == use.task && earlier.frees == use.frees) {
      earlier.step = use.step;
      is_noted = true;
    } else if (earlier.task != use.task && (earlier.frees || use.frees)) {
      make_room(earlier.task);
      if (!is_over(earlier, use.task)) numbers_.try_emplace(use.block, numbers_.size());
    }
  }
  if (!is_noted) all.push_back({use.task, use.step, use.frees});
}

bool ContendedBlocks::learn(Trace trace, HeapTrace heap) {
  touched_.clear();
  known_.clear();
  const std::size_t before = numbers_.size();
  std::uint32_t seen = 0;
  for (const HeapUse& use : heap) {
    for (; seen <= use.step; ++seen) follow(trace[seen], seen);
    touch(use);
  }
  return numbers_.size() != before;
}

std::vector<std::uint64_t> ContendedBlocks::all() const {
  std::vector<std::uint64_t> blocks(numbers_.size());
  for (const auto& [block, number] : numbers_) blocks[number] = block;
  return blocks;
}

void ContendedBlocks::assign(const std::vector<std::uint64_t>& blocks) {
  numbers_.clear();
  for (const std::uint64_t block : blocks) numbers_.emplace(block, numbers_.size());
}

std::optional<Step> ContendedBlocks::step_of(const HeapUse& use) const {
  const auto found = numbers_.find(use.block);
  if (found == numbers_.end()) return std::nullopt;
  Step step{};
  step.object = found->second;
  step.task = use.task;
  step.kind = use.frees ? OperationKind::release : OperationKind::use;
  return step;
}

}  // namespace ricercar::inline strategy
