// History-aware predecessor sets (Wang, Said, Gupta, Coverage Guided Systematic Concurrency
// Testing, ICSE 2011): which statement came right after which other one on the same object, in
// another thread.
//
// A statement is a place in the source, what it was called from, and whether it was executed by the
// *local* thread of the pair, the one with the smaller number, or by the *remote* one. Places are
// numbers that whoever makes them can turn into text again.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/plain.h"

namespace ricercar::inline strategy {

class PredecessorSets {
 public:
  // A place with its calls; the thread is not part of it.
  using Statement = std::uint32_t;

  // `later` came right after `earlier`.
  struct Pair {
    Statement later = 0;
    Statement earlier = 0;
    bool later_is_local = false;  // and `earlier` is the remote one, or the other way round

    friend bool operator==(const Pair&, const Pair&) = default;
  };

  struct Entry {
    Pair pair;
    std::uint32_t count = 0;            // 0: never seen, but it looks possible
    std::uint32_t first_execution = 0;  // counted from 1
  };

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(places_, ends_, statements_, plain(slots_), used_, seen_, added_);
  }

  // Innermost first: the place itself, then where it was called from.
  Statement statement(std::span<const std::uint64_t> places);
  std::span<const std::uint64_t> places(Statement statement) const {
    const std::uint32_t begin = statement == 0 ? 0 : ends_[statement - 1];
    return {places_.data() + begin, ends_[statement] - begin};
  }
  std::size_t statement_count() const { return ends_.size(); }

  bool contains(const Pair& pair) const {
    const Slot* slot = find(pair);
    return slot != nullptr && slot->count != 0;
  }
  // True if it is new. `count`: more than once if it comes from a file.
  bool add(const Pair& pair, std::uint32_t count = 1);
  // The two were seen the other way round, and could have been exchanged.
  void add_possible(const Pair& pair);

  std::size_t size() const { return seen_; }
  std::size_t possible() const { return used_ - seen_; }  // but never seen

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Slot& slot : slots_) {
      if (slot.later != none) visit(Entry{pair_of(slot), slot.count, slot.first_execution});
    }
  }

  // What is added from here on belongs to the next execution.
  void begin_execution() { added_.push_back(0); }
  // How many pairs each execution has added.
  const std::vector<std::uint32_t>& added() const { return added_; }
  // Bytes of memory for the pairs.
  std::size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  struct Slot {
    std::uint32_t later = none;  // twice the statement, and 1 for the remote thread
    std::uint32_t earlier = none;
    std::uint32_t count = 0;
    std::uint32_t first_execution = 0;
  };

  static Pair pair_of(const Slot& slot) {
    return {slot.later / 2, slot.earlier / 2, slot.later % 2 == 0};
  }
  static Slot slot_of(const Pair& pair) {
    const std::uint32_t remote = pair.later_is_local ? 0 : 1;
    return {2 * pair.later + remote, 2 * pair.earlier + 1 - remote, 0, 0};
  }
  std::size_t position(const Slot& wanted) const;
  const Slot* find(const Pair& pair) const;
  Slot& insert(const Pair& pair);

  std::vector<std::uint64_t> places_;  // of all statements
  std::vector<std::uint32_t> ends_;    // by statement: where its part of places_ ends
  std::unordered_map<std::uint64_t, std::vector<Statement>> statements_;  // by a hash of the places
  std::vector<Slot> slots_;  // a hash table, at most two thirds full
  std::size_t used_ = 0;
  std::size_t seen_ = 0;
  std::vector<std::uint32_t> added_;
};

}  // namespace ricercar::inline strategy
