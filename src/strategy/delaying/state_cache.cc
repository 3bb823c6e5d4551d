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
    : most_slots_(slots_in(limit, window)), when_full_(when_full) {
  tables_.push_back(std::make_unique<Table>(std::min(most_slots_, first_slots)));
  table_ = tables_.back().get();
}

std::size_t StateCache::home(const Table& table, const Fingerprint& key) {
  const unsigned __int128 homes = table.slots.size() - window;
  return static_cast<std::size_t>(homes * mix64(key.low) >> 64);
}

// A reader may see one half of a key that is just being stored: then it is no key that anybody
// asks for.
Fingerprint StateCache::load(const Fingerprint& slot) {
  auto& words = const_cast<Fingerprint&>(slot);
  return {std::atomic_ref(words.low).load(std::memory_order_relaxed),
          std::atomic_ref(words.high).load(std::memory_order_relaxed)};
}

void StateCache::store(Fingerprint& slot, const Fingerprint& key) {
  std::atomic_ref(slot.low).store(key.low, std::memory_order_relaxed);
  std::atomic_ref(slot.high).store(key.high, std::memory_order_relaxed);
}

// Where the key is or could be put; nullptr: there is no room for it.
Fingerprint* StateCache::find(Table& table, const Fingerprint& key) {
  Fingerprint* slot = &table.slots[home(table, key)];
  for (const Fingerprint* end = slot + window; slot != end; ++slot) {
    const Fingerprint there = load(*slot);
    if (there == key || there == free_slot) return slot;
  }
  return nullptr;
}

bool StateCache::contains(const Fingerprint& key) const {
  const Fingerprint wanted = usable(key);
  const Fingerprint* slot = find(*table_.load(std::memory_order_acquire), wanted);
  return slot != nullptr && load(*slot) == wanted;
}

bool StateCache::insert(const Fingerprint& key) {
  const Fingerprint wanted = usable(key);
  Fingerprint* slot = find(*table_, wanted);
  while (slot == nullptr && grow()) slot = find(*table_, wanted);
  if (slot == nullptr) {
    ++dropped_;
    Table& full = *table_;
    if (when_full_ == WhenFull::replace) {
      store(full.slots[home(full, wanted) + wanted.high % window], wanted);
    }
    return true;
  }
  if (*slot == wanted) return false;
  store(*slot, wanted);
  ++size_;
  return true;
}

// Readers keep the table that they have, so a shared cache takes twice its size in the end.
bool StateCache::grow() {
  for (std::uint64_t size = table()->slots.size(); size < most_slots_;) {
    size = std::min(most_slots_, 2 * size);
    auto larger = std::make_unique<Table>(size);
    bool fits = true;
    for (const Fingerprint& key : table()->slots) {
      if (key == free_slot) continue;
      Fingerprint* slot = find(*larger, key);
      fits = slot != nullptr;
      if (!fits) break;
      *slot = key;
    }
    if (!fits) continue;
    table_.store(larger.get(), std::memory_order_release);
    if (!is_shared_) tables_.clear();
    tables_.push_back(std::move(larger));
    return true;
  }
  return false;
}

}  // namespace ricercar
