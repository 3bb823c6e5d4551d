// A random order of tasks, of which no more is drawn than is asked for. Every task has a priority:
// a binary fraction with endlessly many digits, each of which is drawn when two tasks have to be
// told apart by it. So a new priority costs nothing until then, and of a hundred tasks with new
// ones only a few have to be looked at to find the highest: half of them go with each digit.
//
// Tasks are given as bits, so many words as set_words() was told. Called from one kernel thread.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/random.h"

namespace ricercar::inline strategy {

using TaskWords = std::vector<std::uint64_t>;  // tasks as bits, 64 in a word

// A table of such sets, one behind the other in memory.
class TaskWordsTable {
 public:
  explicit TaskWordsTable(std::size_t rows) : rows_(rows), bits_(rows) {}

  std::size_t words() const { return words_; }
  std::uint64_t* row(std::size_t i) { return &bits_[i * words_]; }
  const std::uint64_t* row(std::size_t i) const { return &bits_[i * words_]; }

  void resize(std::size_t rows) { bits_.resize((rows_ = rows) * words_); }
  void set_words(std::size_t words) {
    std::vector<std::uint64_t> wider(rows_ * words);
    for (std::size_t i = 0; i < rows_; ++i) {
      std::copy_n(row(i), std::min(words, words_), &wider[i * words]);
    }
    bits_ = std::move(wider);
    words_ = words;
  }

 private:
  std::size_t words_ = 1;
  std::size_t rows_;
  std::vector<std::uint64_t> bits_;
};

class RandomOrder {
 public:
  void begin() {
    children_.assign(1, none);
    tasks_.resize(1);
    free_ = none;
  }
  void set_words(std::size_t words) { tasks_.set_words(words); }

  // These have new priorities from here on.
  void draw_again(const TaskWords& tasks) { take_out(root, tasks); }

  // The number of the highest of `left`, of which there is one at least.
  std::uint32_t highest(TaskWords& left, Random& random) {
    for (std::uint32_t node = root; !has_one(left);) {
      if (children_[node] == none) add_children(node);
      const std::uint32_t zero = children_[node], one = zero + 1;
      node = draw_digit(zero, left, random) ? one : zero;
      for (std::size_t i = 0; i < left.size(); ++i) left[i] &= tasks_.row(node)[i];
    }
    return first_of(left);
  }

 private:
  static constexpr std::uint32_t root = 0;
  static constexpr std::uint32_t none = root;  // it is nobody's child

  static bool has_one(const TaskWords& tasks) {
    std::uint64_t found = 0;
    for (const std::uint64_t word : tasks) {
      if (word == 0) continue;
      if (found != 0 || !std::has_single_bit(word)) return false;
      found = word;
    }
    return true;
  }
  static std::uint32_t first_of(const TaskWords& tasks) {
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      if (tasks[i] != 0) return static_cast<std::uint32_t>(64 * i + std::countr_zero(tasks[i]));
    }
    RICERCAR_CHECK(!"there is no task");
    return 0;
  }

  // The digit behind those that the tasks of `left` have in common, for those that have none yet:
  // they become members of one of two nodes that lie side by side. True: somebody has a one.
  bool draw_digit(std::uint32_t zero, const TaskWords& left, Random& random) {
    std::uint64_t have_one = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      std::uint64_t& zeros = tasks_.row(zero)[i];
      std::uint64_t& ones = tasks_.row(zero + 1)[i];
      const std::uint64_t drawn = left[i] & ~zeros & ~ones;
      if (drawn != 0) {
        const std::uint64_t number = random.next();
        ones |= drawn & (number ^ number >> 32);
        zeros |= drawn & ~ones;
      }
      have_one |= left[i] & ones;
    }
    return have_one != 0;
  }

  // Nodes whose members are gone are used again.
  void take_out(std::uint32_t node, const TaskWords& tasks) {
    const std::uint32_t first = children_[node];
    if (first == none) return;
    std::uint64_t all = 0;
    for (const std::uint32_t child : {first, first + 1}) {
      std::uint64_t found = 0;
      for (std::size_t i = 0; i < tasks.size(); ++i) {
        std::uint64_t& members = tasks_.row(child)[i];
        found |= members & tasks[i];
        members &= ~tasks[i];
        all |= members;
      }
      if (found != 0) take_out(child, tasks);
    }
    if (all == 0) children_[first] = std::exchange(free_, std::exchange(children_[node], none));
  }

  void add_children(std::uint32_t node) {
    std::uint32_t first = free_;
    if (first != none) {
      free_ = std::exchange(children_[first], none);
    } else {
      first = static_cast<std::uint32_t>(children_.size());
      children_.resize(first + 2, none);
      tasks_.resize(first + 2);
    }
    children_[node] = first;
  }

  // By node: the first of its two children; of one that is free, the next free one. A node is for
  // priorities that begin with the same digits. All tasks are in the root, which does not list
  // them; who is in no child of its node has drawn no other digit yet.
  std::vector<std::uint32_t> children_ = {none};
  TaskWordsTable tasks_{1};
  std::uint32_t free_ = none;
};

}  // namespace ricercar::inline strategy
