// Races that the source says are harmless: ranges of memory, and stretches without any report.
// Annotations outside of an execution (static constructors) hold for all of them.
//
// Not thread-safe.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ricercar::inline threads {

class BenignRaces {
 public:
  void begin_execution() {
    ranges_.resize(lasting_);
    reports_ = lasting_reports_;
  }
  // `lasts`: for all executions.
  void add(std::uint64_t address, std::uint64_t size, bool lasts) {
    if (lasts) ranges_.resize(lasting_);
    const Range range{address, address + std::max<std::uint64_t>(size, 1)};
    if (std::find(ranges_.begin(), ranges_.end(), range) == ranges_.end()) ranges_.push_back(range);
    if (lasts) lasting_ = ranges_.size();
  }
  // AnnotateEnableRaceDetection: no race is reported while it is off.
  void enable_reports(bool are_enabled, bool lasts) {
    reports_ = are_enabled;
    if (lasts) lasting_reports_ = are_enabled;
  }
  bool contains(std::uint64_t address, std::uint64_t size) const {
    const auto overlaps = [&](const Range& range) {
      return address < range.to && range.from < address + size;
    };
    return !reports_ || std::any_of(ranges_.begin(), ranges_.end(), overlaps);
  }

 private:
  struct Range {
    std::uint64_t from;
    std::uint64_t to;
    bool operator==(const Range&) const = default;
  };

  std::vector<Range> ranges_;
  std::size_t lasting_ = 0;  // the first ranges hold for all executions
  bool reports_ = true;
  bool lasting_reports_ = true;
};

// The counters that compilers add to programs whose lines are counted (--coverage and its
// relatives). Threads add to them without synchronisation, and that is meant.
// This says whether the address is in such a counter. It reads the symbols of the loaded object
// that it is in, once for each object: without symbols nobody knows.
bool is_profile_counter(std::uint64_t address);

}  // namespace ricercar::inline threads
