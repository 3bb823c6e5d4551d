// A vector clock: for each slot (see data_race.h) how much of it is known. Components beyond the
// size are zero, so a clock is only as wide as the tasks that it has heard of. Sizes are multiples
// of eight: joins of small clocks are a few vector instructions without a remainder.
//
// Keeps its memory when it is cleared. Not thread-safe.
#pragma once

#include <cstdint>
#include <cstring>

namespace ricercar::inline detect {

class VectorClock {
 public:
  VectorClock() = default;
  VectorClock(const VectorClock&) = delete;
  VectorClock& operator=(const VectorClock&) = delete;
  ~VectorClock() {
    if (components_ != inline_) delete[] components_;
  }

  std::uint32_t operator[](std::uint32_t slot) const {
    return slot < size_ ? components_[slot] : 0;
  }
  bool empty() const { return size_ == 0; }
  void clear() { size_ = 0; }

  void set(std::uint32_t slot, std::uint32_t clock) {
    if (slot >= size_) widen((slot + block) / block * block);
    components_[slot] = clock;
  }

  void assign(const VectorClock& other) {
    if (other.size_ > capacity_) reserve(other.size_);
    size_ = other.size_;
    for (std::uint32_t i = 0; i < size_; i += block) copy_block(i, other);
  }

  // The smallest clock that knows all that either knows.
  void join(const VectorClock& other) {
    if (other.size_ > size_) widen(other.size_);
    for (std::uint32_t i = 0; i < other.size_; i += block) join_block(i, other);
  }

 private:
  static constexpr std::uint32_t block = 8;

  void copy_block(std::uint32_t start, const VectorClock& other) {
    std::memcpy(components_ + start, other.components_ + start, block * sizeof(std::uint32_t));
  }

  // Written with vectors because compilers leave the loop over components as it is at -O2.
  void join_block(std::uint32_t start, const VectorClock& other) {
    using Lanes [[gnu::vector_size(16)]] = std::uint32_t;
    for (std::uint32_t i = start; i < start + block; i += sizeof(Lanes) / sizeof(std::uint32_t)) {
      Lanes mine;
      Lanes theirs;
      std::memcpy(&mine, components_ + i, sizeof mine);
      std::memcpy(&theirs, other.components_ + i, sizeof theirs);
      mine = mine < theirs ? theirs : mine;
      std::memcpy(components_ + i, &mine, sizeof mine);
    }
  }

  void widen(std::uint32_t size) {
    if (size > capacity_) reserve(size);
    std::memset(components_ + size_, 0, (size - size_) * sizeof(std::uint32_t));
    size_ = size;
  }

  __attribute__((noinline)) void reserve(std::uint32_t size) {
    const std::uint32_t capacity = size > 2 * capacity_ ? size : 2 * capacity_;
    auto* components = new std::uint32_t[capacity];
    std::memcpy(components, components_, size_ * sizeof(std::uint32_t));
    if (components_ != inline_) delete[] components_;
    components_ = components;
    capacity_ = capacity;
  }

  std::uint32_t size_ = 0;  // a multiple of `block`
  std::uint32_t capacity_ = block;
  std::uint32_t* components_ = inline_;
  std::uint32_t inline_[block];
};

}  // namespace ricercar::inline detect
