// The states that a search has seen, as fingerprints: 16 bytes each in an open-addressed table
// that grows up to a limit. A search with a cache that is full does more, never less: it comes
// through states again.
//
// One thread at a time inserts. After share() others may ask at the same time; what they are told
// to be there is there, what was inserted meanwhile they may miss.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "model/state.h"

namespace ricercar {

class StateCache {
 public:
  enum class WhenFull : std::uint8_t { stop, replace };

  // `limit` in bytes; 0: none.
  StateCache(std::uint64_t limit, WhenFull when_full);

  bool contains(const Fingerprint& key) const;
  void share() { is_shared_ = true; }
  // True: it was not there. It need not be there now, see dropped().
  bool insert(const Fingerprint& key);

  std::uint64_t size() const { return size_; }
  // How many could not be added, or pushed another one out.
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t bytes() const { return table()->slots.size() * sizeof(Fingerprint); }
  // How large a limit must be so that so many states fit.
  static std::uint64_t bytes_for(std::uint64_t states) { return 2 * states * sizeof(Fingerprint); }

 private:
  // A key is in one of so many slots from its home on.
  static constexpr std::uint32_t window = 16;

  struct Table {
    explicit Table(std::uint64_t size) : slots(size) {}
    std::vector<Fingerprint> slots;  // {0, 0}: free
  };

  const Table* table() const { return table_.load(std::memory_order_acquire); }
  static std::size_t home(const Table& table, const Fingerprint& key);
  static Fingerprint* find(Table& table, const Fingerprint& key);
  static Fingerprint load(const Fingerprint& slot);
  static void store(Fingerprint& slot, const Fingerprint& key);
  bool grow();

  const std::uint64_t most_slots_;
  const WhenFull when_full_;
  bool is_shared_ = false;
  std::atomic<Table*> table_;
  std::vector<std::unique_ptr<Table>> tables_;  // the last one is in use; others may still be read
  std::uint64_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace ricercar
