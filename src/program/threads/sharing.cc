#include "threads/sharing.h"

#include <bit>

#include "base/search_heap.h"

namespace ricercar::inline threads {
namespace {

template <typename Visit>
void for_each_bit(std::uint64_t bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(static_cast<std::size_t>(std::countr_zero(bits)));
}

}  // namespace

bool Sharing::touch(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write) {
  if (known_ == nullptr || follows_) return false;
  const std::uint64_t first = address / word_bytes;
  if (first == (address + size - 1) / word_bytes) {
    return touch_lane(first / words_per_lane, std::uint64_t{1} << first % words_per_lane, task,
                      is_write);
  }
  bool is_known = false;
  for_each_lane(address, size, [&](std::uint64_t number, std::uint64_t words) {
    is_known = touch_lane(number, words, task, is_write) || is_known;
  });
  return is_known;
}

// True: some of the words are known to be shared.
bool Sharing::touch_lane(std::uint64_t number, std::uint64_t words, TaskId task, bool is_write) {
  TouchedLane& touched = lane(number);
  const bool is_known = (words & touched.known) != 0;
  words &= ~touched.known;
  if (words == 0) return is_known;
  // Nothing new, as nearly always.
  const bool is_own = touched.owners == 0 && touched.owner == task;
  const std::uint64_t noted = is_write ? touched.written : touched.touched;
  if (is_own && (words & ~noted) == 0) return is_known;
  const std::uint64_t before = touched.shared & touched.written;
  touched.shared |= of_others(touched, words & touched.touched, task);
  own(touched, words & ~touched.touched, task);
  if (is_write) touched.written |= words;
  const std::uint64_t found = touched.shared & touched.written & ~before;
  if (found != 0) found_.push_back({number, found});
  return is_known;
}

// Those of the words that another task has touched first.
std::uint64_t Sharing::of_others(const TouchedLane& lane, std::uint64_t words, TaskId task) const {
  if (lane.owners == 0) return lane.owner == task ? 0 : words;
  const Owners& owners = owners_[lane.owners - 1];
  std::uint64_t found = 0;
  for_each_bit(words, [&](std::size_t i) {
    if (owners[i] != task) found |= std::uint64_t{1} << i;
  });
  return found;
}

// The task is the first one to touch these words.
void Sharing::own(TouchedLane& lane, std::uint64_t words, TaskId task) {
  if (words == 0) return;
  if (lane.touched == 0) lane.owner = task;
  lane.touched |= words;
  if (lane.owners == 0 && lane.owner == task) return;
  if (lane.owners == 0) {
    owners_.emplace_back().fill(lane.owner);
    lane.owners = static_cast<std::uint32_t>(owners_.size());
  }
  Owners& owners = owners_[lane.owners - 1];
  for_each_bit(words, [&](std::size_t i) { owners[i] = task; });
}

bool Sharing::is_known(std::uint64_t address, std::uint64_t size) const {
  bool is_known = false;
  for_each_lane(address, size, [&](std::uint64_t number, std::uint64_t words) {
    is_known = is_known || (known_->bits(number) & words) != 0;
  });
  return is_known;
}

void Sharing::note(std::uint64_t address, std::uint64_t size) {
  for_each_lane(address, size, [&](std::uint64_t number, std::uint64_t words) {
    found_.push_back({number, words});
  });
}

void Sharing::found_race(std::uint64_t address, std::uint64_t size) {
  if (follows_ || known_ == nullptr || size == 0) return;
  for_each_lane(address, size, [&](std::uint64_t number, std::uint64_t words) {
    const std::uint64_t found = words & ~known_->bits(number);
    if (found != 0) found_.push_back({number, found});
  });
}

void Sharing::freed(TaskId task, std::uint64_t address, std::uint64_t size) {
  if (known_ == nullptr || follows_ || size == 0) return;
  const std::uint64_t end = address + size;
  if (size / lane_bytes < pages_.size()) {
    for_each_lane(address, size, [&](std::uint64_t number, std::uint64_t words) {
      const std::uint32_t* place = page_numbers_.find(number / lanes_per_page + 1);
      if (place == nullptr) return;
      free_lane(number, pages_[*place - 1].lanes[number % lanes_per_page], words, task);
    });
    return;
  }
  for (const TouchedPage& page : pages_) {
    const std::uint64_t first = page.number * lanes_per_page * lane_bytes;
    const std::uint64_t low = std::max(address, first);
    const std::uint64_t high = std::min(end, first + lanes_per_page * lane_bytes);
    if (low >= high) continue;
    for_each_lane(low, high - low, [&](std::uint64_t number, std::uint64_t words) {
      free_lane(number, page.lanes[number % lanes_per_page], words, task);
    });
  }
}

void Sharing::free_lane(std::uint64_t number, const TouchedLane& lane, std::uint64_t words,
                        TaskId task) {
  if (lane.execution != execution_) return;
  const std::uint64_t open = words & lane.touched & ~(lane.shared & lane.written);
  const std::uint64_t found = open & (lane.shared | of_others(lane, open, task));
  if (found != 0) found_.push_back({number, found});
}

TouchedPage& Sharing::find_page(std::uint64_t number) {
  std::uint32_t& place = page_numbers_.at(number + 1, 0);
  if (place == 0) {
    pages_.emplace_back().number = number;
    place = static_cast<std::uint32_t>(pages_.size());
  }
  recent_[number % recent_.size()] = {number, place - 1};
  return pages_[place - 1];
}

void Sharing::begin_lane(TouchedLane& lane, std::uint64_t number) {
  lane = {};
  lane.execution = execution_;
  lane.known = known_->bits(number);
}

bool Sharing::learn() {
  if (found_.empty()) return false;
  const SharedAllocation shared;
  for (const LaneBits& words : found_) known_->insert(words);
  found_.clear();
  return true;
}

}  // namespace ricercar::inline threads
