#include "detect/object_clocks.h"

#include "base/check.h"

namespace ricercar::inline detect {

void ObjectClocks::begin_execution() {
  if (++execution_ == 0) {  // after 2^32 executions old stamps would come to life again
    for (Entry& entry : entries_) entry.stamp = 0;
    execution_ = 1;
  }
  used_ = 0;
  clocks_.take_back_all();
}

VectorClock& ObjectClocks::insert(std::uint64_t name) {
  if (2 * (used_ + 1) > entries_.size()) grow();
  ++used_;
  VectorClock& clock = clocks_.take();
  clock.clear();
  place({name, &clock, execution_});
  return clock;
}

void ObjectClocks::place(const Entry& entry) {
  std::uint32_t i = home_of(entry.name);
  while (entries_[i].stamp == execution_) i = next(i);
  entries_[i] = entry;
}

void ObjectClocks::grow() {
  RICERCAR_CHECK(bits_ < 30);
  std::vector<Entry> old(std::size_t{2} << bits_);
  old.swap(entries_);
  ++bits_;
  for (const Entry& entry : old) {
    if (entry.stamp == execution_) place(entry);
  }
}

}  // namespace ricercar::inline detect
