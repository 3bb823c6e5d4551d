// The states that a search has seen: 80 bits of each fingerprint in an open-addressed table that is
// between 64 and 77 per cent full, so that a state takes 16 bytes at most. It grows up to a limit.
// A search with a cache that is full does more, never less: it comes through states again.
//
// One thread at a time inserts. After share() others may ask at the same time; what they are told
// to be there is there, what was inserted meanwhile they may miss.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/plain.h"
#include "model/state.h"

namespace ricercar::inline strategy {

class StateCache {
 public:
  enum class WhenFull : std::uint8_t { stop, replace };

  // `limit` in bytes; 0: none.
  StateCache(std::uint64_t limit, WhenFull when_full);

  bool contains(const Fingerprint& fingerprint) const;
  // From now on the table doubles when it grows, because readers keep the old ones.
  void share() { is_shared_ = true; }
  // True: it was not there. It need not be there now, see dropped().
  bool insert(const Fingerprint& fingerprint);

  // While nobody else asks.
  template <typename Archive>
  void serialize(Archive& archive) {
    Table& current = *table_;
    archive(plain(current.first), plain(current.second), size_, dropped_);
  }

  std::uint64_t size() const { return size_; }
  // How many could not be added, or pushed another one out.
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t bytes() const { return table()->size() * slot_bytes; }
  // How large a limit must be so that so many states fit.
  static std::uint64_t bytes_for(std::uint64_t states) { return 2 * slot_bytes * states; }

 private:
  static constexpr std::uint64_t slot_bytes = 10;
  // A key is in one of so many slots from its home on.
  static constexpr std::uint64_t most_window = 512;

  // What is kept of a fingerprint. Its home follows from the first part alone.
  struct Key {
    std::uint64_t first;  // not 0
    std::uint16_t second;
  };

  struct Table {
    explicit Table(std::uint64_t size) : first(size), second(size) {}
    std::uint64_t size() const { return first.size(); }

    std::vector<std::uint64_t> first;  // 0: free
    std::vector<std::uint16_t> second;
  };

  static constexpr std::size_t nowhere = ~std::size_t{0};

  const Table* table() const { return table_.load(std::memory_order_acquire); }
  static Key key_of(const Fingerprint& fingerprint);
  std::size_t home(const Table& table, const Key& key) const;
  std::size_t find(const Table& table, const Key& key) const;
  static void store(Table& table, std::size_t slot, const Key& key);
  bool grow();
  bool move_to(Table& larger) const;

  const std::uint64_t most_slots_;
  const std::uint64_t window_;
  const WhenFull when_full_;
  bool is_shared_ = false;
  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;  // the last one is in use; others may still be read
  std::uint64_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace ricercar::inline strategy
