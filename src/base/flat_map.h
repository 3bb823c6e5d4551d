// From numbers to numbers, in one block of memory: for tables that are asked at every step. Nothing
// is ever taken out.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/plain.h"

namespace ricercar::inline base {

template <typename Value>
class FlatMap {
 public:
  // The value of a key other than 0; a new one is `fresh`. Valid until the next call.
  Value& at(std::uint64_t key, const Value& fresh) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slots_[position(key)];
    if (slot.key == 0) {
      slot = {key, fresh};
      ++count_;
    }
    return slot.value;
  }
  // Null: there is none.
  const Value* find(std::uint64_t key) const {
    if (count_ == 0) return nullptr;
    const Slot& slot = slots_[position(key)];
    return slot.key == 0 ? nullptr : &slot.value;
  }
  bool empty() const { return count_ == 0; }
  std::size_t size() const { return count_; }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(plain(slots_), count_, shift_);
  }

  // Calls visit(key, value) for all of them, in an order of their own.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.key != 0) visit(slot.key, slot.value);
    }
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Value value = {};
  };

  // The high bits of a product depend on all bits of the key.
  std::size_t position(std::uint64_t key) const {
    std::size_t i = (key * 0x9e3779b97f4a7c15ULL) >> shift_;
    while (slots_[i].key != key && slots_[i].key != 0) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, {});
    slots_.resize(old.empty() ? 64 : 2 * old.size());
    shift_ = 64 - std::countr_zero(slots_.size());
    for (const Slot& slot : old) {
      if (slot.key != 0) slots_[position(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  int shift_ = 0;
};

}  // namespace ricercar::inline base
