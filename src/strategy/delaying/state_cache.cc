#include "strategy/delaying/state_cache.h"

#include <algorithm>

#include "base/random.h"

namespace ricercar::inline strategy {
namespace {

constexpr std::uint64_t first_slots = 1024;

template <typename T>
T load(const T& slot) {
  return std::atomic_ref(const_cast<T&>(slot)).load(std::memory_order_acquire);
}

}  // namespace

StateCache::StateCache(std::uint64_t limit, WhenFull when_full)
    : most_slots_(limit == 0 ? ~std::uint64_t{0} : std::max<std::uint64_t>(limit / slot_bytes, 2)),
      window_(std::min(most_window, most_slots_ / 2)),
      when_full_(when_full) {
  tables_.push_back(std::make_unique<Table>(std::min(most_slots_, first_slots)));
  table_ = tables_.back().get();
}

StateCache::Key StateCache::key_of(const Fingerprint& fingerprint) {
  const std::uint64_t first = mix64(mix64(fingerprint.low) + fingerprint.high);
  const std::uint64_t second = mix64(fingerprint.high ^ 0x5851f42d4c957f2dULL) + fingerprint.low;
  return {first == 0 ? 1 : first, static_cast<std::uint16_t>(mix64(second))};
}

std::size_t StateCache::home(const Table& table, const Key& key) const {
  const unsigned __int128 homes = table.size() - window_;
  return static_cast<std::size_t>(homes * key.first >> 64);
}

// Where the key is or could be put. The second part is stored before the first one, so whoever sees
// a first part sees what belongs to it.
std::size_t StateCache::find(const Table& table, const Key& key) const {
  const std::size_t start = home(table, key);
  __builtin_prefetch(&table.second[start]);
  for (std::size_t slot = start; slot < start + window_; ++slot) {
    const std::uint64_t there = load(table.first[slot]);
    if (there == 0 || (there == key.first && load(table.second[slot]) == key.second)) return slot;
  }
  return nowhere;
}

void StateCache::store(Table& table, std::size_t slot, const Key& key) {
  std::atomic_ref(table.second[slot]).store(key.second, std::memory_order_relaxed);
  std::atomic_ref(table.first[slot]).store(key.first, std::memory_order_release);
}

bool StateCache::contains(const Fingerprint& fingerprint) const {
  const Table& current = *table();
  const std::size_t slot = find(current, key_of(fingerprint));
  return slot != nowhere && load(current.first[slot]) != 0;
}

bool StateCache::insert(const Fingerprint& fingerprint) {
  const Key key = key_of(fingerprint);
  if (size_ >= table()->size() / 100 * 77) grow();
  std::size_t slot = find(*table_, key);
  while (slot == nowhere && grow()) slot = find(*table_, key);
  Table& current = *table_;
  if (slot == nowhere) {
    ++dropped_;
    if (when_full_ == WhenFull::replace) {
      store(current, home(current, key) + fingerprint.low % window_, key);
    }
    return true;
  }
  if (current.first[slot] != 0) return false;
  store(current, slot, key);
  ++size_;
  return true;
}

bool StateCache::move_to(Table& larger) const {
  const Table& current = *table();
  for (std::size_t i = 0; i < current.size(); ++i) {
    if (current.first[i] == 0) continue;
    const Key key{current.first[i], current.second[i]};
    const std::size_t slot = find(larger, key);
    if (slot == nowhere) return false;
    larger.first[slot] = key.first;
    larger.second[slot] = key.second;
  }
  return true;
}

bool StateCache::grow() {
  for (std::uint64_t size = table()->size(); size < most_slots_;) {
    size = std::min(most_slots_, is_shared_ ? 2 * size : size + size / 5);
    auto larger = std::make_unique<Table>(size);
    if (!move_to(*larger)) continue;
    table_.store(larger.get(), std::memory_order_release);
    if (!is_shared_) tables_.clear();
    tables_.push_back(std::move(larger));
    return true;
  }
  return false;
}

}  // namespace ricercar::inline strategy
