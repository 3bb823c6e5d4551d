// A set of tasks as a bitset. Only the words in use are touched, so that a program with a few
// threads pays for one word, whatever the limit is.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "model/ids.h"

namespace ricercar::inline model {

class TaskSet {
 public:
  static constexpr std::uint32_t max_words = max_tasks / 64;

  TaskSet() { words_[0] = 0; }
  TaskSet(const TaskSet& other) { *this = other; }
  TaskSet& operator=(const TaskSet& other) {
    used_ = other.used_;
    for (std::uint32_t i = 0; i < used_; ++i) words_[i] = other.words_[i];
    return *this;
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(used_);
    RICERCAR_CHECK(used_ <= max_words);
    for (std::uint32_t i = 0; i < used_; ++i) archive(words_[i]);
  }

  bool contains(TaskId task) const { return (word(task) >> (index(task) % 64)) & 1; }
  void insert(TaskId task) {
    grow(index(task) / 64 + 1);
    words_[index(task) / 64] |= bit(task);
  }
  void erase(TaskId task) {
    if (index(task) / 64 < used_) words_[index(task) / 64] &= ~bit(task);
  }
  void clear() {
    for (std::uint32_t i = 0; i < used_; ++i) words_[i] = 0;
    used_ = 1;
  }

  bool empty() const {
    for (std::uint32_t i = 0; i < used_; ++i) {
      if (words_[i] != 0) return false;
    }
    return true;
  }
  std::uint32_t size() const {
    std::uint32_t count = 0;
    for (std::uint32_t i = 0; i < used_; ++i) count += std::popcount(words_[i]);
    return count;
  }

  // The member with exactly `position` smaller members.
  TaskId nth(std::uint32_t position) const {
    for (std::uint32_t i = 0; i < used_; ++i) {
      const auto here = static_cast<std::uint32_t>(std::popcount(words_[i]));
      if (position < here) return task_id(i * 64 + nth_bit(words_[i], position));
      position -= here;
    }
    RICERCAR_CHECK(!"position is beyond the set");
    return no_task;
  }
  // How many members are smaller than `task`.
  std::uint32_t position(TaskId task) const {
    std::uint32_t count = 0;
    const std::uint32_t last = index(task) / 64;
    for (std::uint32_t i = 0; i < last && i < used_; ++i) count += std::popcount(words_[i]);
    if (last < used_) count += std::popcount(words_[last] & (bit(task) - 1));
    return count;
  }
  TaskId first() const { return nth(0); }
  std::uint64_t first_word() const { return words_[0]; }
  // The members as bits, 64 in a word.
  std::span<const std::uint64_t> words() const { return {words_.data(), used_}; }

  template <typename Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t i = 0; i < used_; ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        visit(task_id(i * 64 + static_cast<std::uint32_t>(std::countr_zero(rest))));
      }
    }
  }

  void add(const TaskSet& other) {
    grow(other.used_);
    for (std::uint32_t i = 0; i < other.used_; ++i) words_[i] |= other.words_[i];
  }
  void remove(const TaskSet& other) {
    for (std::uint32_t i = 0; i < used_ && i < other.used_; ++i) words_[i] &= ~other.words_[i];
  }
  bool intersects(const TaskSet& other) const {
    for (std::uint32_t i = 0; i < used_ && i < other.used_; ++i) {
      if (words_[i] & other.words_[i]) return true;
    }
    return false;
  }
  friend bool operator==(const TaskSet& a, const TaskSet& b) {
    const std::uint32_t words = a.used_ > b.used_ ? a.used_ : b.used_;
    for (std::uint32_t i = 0; i < words; ++i) {
      if ((i < a.used_ ? a.words_[i] : 0) != (i < b.used_ ? b.words_[i] : 0)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t bit(TaskId task) { return std::uint64_t{1} << (index(task) % 64); }
  std::uint64_t word(TaskId task) const {
    const std::uint32_t i = index(task) / 64;
    return i < used_ ? words_[i] : 0;
  }
  static std::uint32_t nth_bit(std::uint64_t word, std::uint32_t position) {
    for (; position > 0; --position) word &= word - 1;
    return static_cast<std::uint32_t>(std::countr_zero(word));
  }
  // Invariant: words at and beyond `used_` are garbage, never read.
  void grow(std::uint32_t words) {
    for (; used_ < words; ++used_) words_[used_] = 0;
  }

  std::uint32_t used_ = 1;
  std::array<std::uint64_t, max_words> words_;  // the first is set by every constructor
};

}  // namespace ricercar::inline model
