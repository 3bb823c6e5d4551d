#include "strategy/delaying/state_cache.h"

#include <algorithm>

#include "base/random.h"

namespace ricercar {
namespace {

constexpr std::uint64_t first_slots = 1024;
constexpr Fingerprint free_slot{};

// No state may look like a free slot.
Fingerprint usable(const Fingerprint& key) { return key == free_slot ? Fingerprint{1, 0} : key; }

std::uint64_t slots_in(std::uint64_t bytes, std::uint32_t window) {
  if (bytes == 0) return ~std::uint64_t{0};
  return std::max<std::uint64_t>(bytes / sizeof(Fingerprint), window + 1);
}

}  // namespace

StateCache::StateCache(std::uint64_t limit, WhenFull when_full)
    : most_slots_(slots_in(limit, window)),
      when_full_(when_full),
      slots_(std::min(most_slots_, first_slots)) {}

std::size_t StateCache::home(const Fingerprint& key) const {
  const unsigned __int128 homes = slots_.size() - window;
  return static_cast<std::size_t>(homes * mix64(key.low) >> 64);
}

// Where the key is or could be put; nullptr: there is no room for it.
Fingerprint* StateCache::find(const Fingerprint& key) {
  Fingerprint* slot = &slots_[home(key)];
  for (const Fingerprint* end = slot + window; slot != end; ++slot) {
    if (*slot == key || *slot == free_slot) return slot;
  }
  return nullptr;
}

bool StateCache::contains(const Fingerprint& key) const {
  const Fingerprint wanted = usable(key);
  const Fingerprint* slot = &slots_[home(wanted)];
  for (const Fingerprint* end = slot + window; slot != end; ++slot) {
    if (*slot == wanted) return true;
    if (*slot == free_slot) return false;
  }
  return false;
}

bool StateCache::insert(const Fingerprint& key) {
  const Fingerprint wanted = usable(key);
  Fingerprint* slot = find(wanted);
  while (slot == nullptr && grow()) slot = find(wanted);
  if (slot == nullptr) {
    ++dropped_;
    if (when_full_ == WhenFull::replace) slots_[home(wanted) + wanted.high % window] = wanted;
    return true;
  }
  if (*slot == wanted) return false;
  *slot = wanted;
  ++size_;
  return true;
}

bool StateCache::grow() {
  if (slots_.size() == most_slots_) return false;
  std::vector<Fingerprint> before(std::min(most_slots_, 2 * slots_.size()));
  before.swap(slots_);
  size_ = 0;
  for (const Fingerprint& key : before) {
    if (key != free_slot) insert(key);
  }
  return true;
}

}  // namespace ricercar
