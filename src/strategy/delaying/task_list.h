// A short list of tasks in an order. Copied once for each new state of a search, so up to 16 tasks
// stay inside of the object.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"

namespace ricercar::inline strategy {

class TaskList {
 public:
  std::uint32_t size() const { return size_; }
  std::span<const std::uint16_t> all() const { return {data(), size_}; }

  void insert(std::uint32_t place, unsigned task) {
    grow();
    std::uint16_t* first = data();
    std::copy_backward(first + place, first + size_ - 1, first + size_);
    first[place] = static_cast<std::uint16_t>(task);
  }
  void push_back(unsigned task) { insert(size_, task); }
  void push_front(unsigned task) { insert(0, task); }

  void erase(unsigned task) {
    std::uint16_t* first = data();
    std::uint16_t* found = std::find(first, first + size_, task);
    if (found == first + size_) return;
    std::copy(found + 1, first + size_, found);
    --size_;
  }

  // These do nothing if the task is not there.
  void move_to_back(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(found, found + 1, end());
  }
  void move_to_front(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(data(), found, found + 1);
  }
  // What stands before the task goes behind all others.
  void rotate_to(unsigned task) {
    std::uint16_t* found = find(task);
    if (found != end()) std::rotate(data(), found, end());
  }

  // Never 0.
  std::uint64_t hash() const {
    std::uint64_t result = size_;
    for (const std::uint16_t task : all()) result = mix64(result ^ task);
    return result | 1;
  }

 private:
  static constexpr std::uint32_t small = 16;

  std::uint16_t* data() { return many_.empty() ? few_.data() : many_.data(); }
  const std::uint16_t* data() const { return many_.empty() ? few_.data() : many_.data(); }
  std::uint16_t* end() { return data() + size_; }
  std::uint16_t* find(unsigned task) { return std::find(data(), end(), task); }

  void grow() {
    if (many_.empty() && size_ == small) many_.assign(few_.begin(), few_.end());
    ++size_;
    if (!many_.empty() && many_.size() < size_) many_.resize(size_);
  }

  std::uint32_t size_ = 0;
  std::array<std::uint16_t, small> few_ = {};
  std::vector<std::uint16_t> many_;  // all of them, once there have been more than fit
};

}  // namespace ricercar::inline strategy
