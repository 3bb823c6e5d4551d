// The states that a search has seen, as fingerprints: 16 bytes each in an open-addressed table
// that grows up to a limit. A search with a cache that is full does more, never less: it comes
// through states again.
#pragma once

#include <cstdint>
#include <vector>

#include "model/state.h"

namespace ricercar {

class StateCache {
 public:
  enum class WhenFull : std::uint8_t { stop, replace };

  // `limit` in bytes; 0: none.
  StateCache(std::uint64_t limit, WhenFull when_full);

  bool contains(const Fingerprint& key) const;
  // True: it was not there. It need not be there now, see dropped().
  bool insert(const Fingerprint& key);

  std::uint64_t size() const { return size_; }
  // How many could not be added, or pushed another one out.
  std::uint64_t dropped() const { return dropped_; }
  std::uint64_t bytes() const { return slots_.size() * sizeof(Fingerprint); }
  // How large a limit must be so that so many states fit.
  static std::uint64_t bytes_for(std::uint64_t states) { return 2 * states * sizeof(Fingerprint); }

 private:
  // A key is in one of so many slots from its home on.
  static constexpr std::uint32_t window = 16;

  std::size_t home(const Fingerprint& key) const;
  Fingerprint* find(const Fingerprint& key);
  bool grow();

  const std::uint64_t most_slots_;
  const WhenFull when_full_;
  std::vector<Fingerprint> slots_;  // {0, 0}: free. `window` more than the homes.
  std::uint64_t size_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace ricercar
