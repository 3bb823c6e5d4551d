// Which plain accesses are choice points with --points shared or racy: those of memory that threads
// share, or of memory on which the race detector has seen a race. Which memory that is gets learned
// on the way: a word that two tasks touch in one execution, and one of them writes, is shared from
// the next execution on; so are the words of a race. Then the search begins again, because the
// points of every execution have changed; it takes few executions until nothing more is found.
//
// What is done before the first task is created, or after all others were joined, is ordered with
// all that they do, and does not count.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/flat_map.h"
#include "model/ids.h"
#include "model/open_trace.h"

namespace ricercar::inline threads {

// Words of memory (8 aligned bytes) in lanes of 64: a set of words, and who has touched which of
// them. What is done to a large range is done lane by lane, and a lane is found by its page.
inline constexpr std::uint64_t word_bytes = 8;
inline constexpr std::uint64_t words_per_lane = 64;
inline constexpr std::uint64_t lane_bytes = word_bytes * words_per_lane;
inline constexpr std::uint64_t lanes_per_page = 8;

// The words of a lane as bits.
struct LaneBits {
  std::uint64_t lane;
  std::uint64_t bits;
};

// Calls visit(lane, bits) for each lane of a range of at least one byte.
template <typename Visit>
void for_each_lane(std::uint64_t address, std::uint64_t size, Visit visit) {
  const std::uint64_t last = (address + size - 1) / word_bytes;
  for (std::uint64_t word = address / word_bytes; word <= last;) {
    const std::uint64_t offset = word % words_per_lane;
    const std::uint64_t count = std::min(words_per_lane - offset, last - word + 1);
    visit(word / words_per_lane, (~std::uint64_t{0} >> (words_per_lane - count)) << offset);
    word += count;
  }
}

// It outlives a worker: see base/search_heap.h.
class WordSet {
 public:
  std::uint64_t bits(std::uint64_t lane) const {
    const std::uint64_t* found = lanes_.find(lane + 1);
    return found == nullptr ? 0 : *found;
  }
  void insert(const LaneBits& words) { lanes_.at(words.lane + 1, 0) |= words.bits; }
  bool empty() const { return lanes_.empty(); }
  template <typename Visit>
  void for_each(Visit visit) const {
    lanes_.for_each([&](std::uint64_t key, std::uint64_t bits) { visit(LaneBits{key - 1, bits}); });
  }

  template <typename Archive>
  void serialize(Archive& archive) {
    archive(lanes_);
  }

 private:
  FlatMap<std::uint64_t> lanes_;
};

// Who has touched the words of a lane in one execution.
struct TouchedLane {
  std::uint32_t execution = 0;
  TaskId owner = no_task;  // who touched all of them first, unless there are `owners`
  std::uint32_t owners = 0;
  std::uint64_t known = 0;  // to be shared: nothing else is noted of these words
  std::uint64_t touched = 0;
  std::uint64_t written = 0;
  std::uint64_t shared = 0;  // by several tasks
};

struct TouchedPage {
  std::uint64_t number = 0;
  std::array<TouchedLane, lanes_per_page> lanes = {};
};

class Sharing {
 public:
  enum class From : std::uint8_t { touches, races, nothing };

  // Before a search. `known` stays the caller's. From::nothing: what is known stays all.
  void learn_into(WordSet* known, From from = From::touches) {
    known_ = known;
    from_ = from;
    follows_ = false;
  }
  // Before a replay: the accesses with these numbers, in ascending order, are the points. Their
  // words are learned, if there is a set for them.
  void follow(std::span<const std::uint32_t> points, WordSet* known = nullptr) {
    known_ = known;
    recorded_ = points;
    follows_ = true;
  }

  // Where the points of an execution are noted; it has room for as many as there can be steps.
  void note_into(OpenTrace* open) { open_ = open; }

  void begin_execution() {
    open_->access_count = 0;
    accesses_ = next_ = 0;
    owners_.clear();
    ++execution_;
  }

  // One more plain access, by a task that is not alone. No counter may be left on the stack: it
  // would end up in variables of the program that have no value yet, and its state would never be
  // the same again (threads/spin.h).
  bool is_point(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write) {
    const bool result = follows_                 ? is_recorded()
                        : from_ == From::touches ? touch(task, address, size, is_write)
                                                 : is_known(address, size);
    if (result && follows_ && known_ != nullptr) note(address, size);
    if (result) open_->accesses[open_->access_count++] = accesses_;
    ++accesses_;
    return result;
  }
  // An access that is a point, or is none, for other reasons: it counts for what others do.
  bool touch(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write);

  // Whether there is any point that is a plain access.
  bool knows_any() const {
    return follows_ ? !recorded_.empty() : known_ != nullptr && !known_->empty();
  }
  // From::races: two tasks access these bytes, and nothing orders them.
  void found_race(std::uint64_t address, std::uint64_t size);

  // A block is freed: that counts as a write of all of it that was touched before.
  void freed(TaskId task, std::uint64_t address, std::uint64_t size);

  // The numbers of the accesses that were points in this execution: what a replay has to follow.
  std::span<const std::uint32_t> points() const { return open_->points(); }

  // After an execution: true if memory was found to be shared that was not known to be.
  bool learn();
  void forget_found() { found_.clear(); }

 private:
  using Owners = std::array<TaskId, words_per_lane>;
  struct RecentPage {
    std::uint64_t number = ~std::uint64_t{0};
    std::uint32_t place = 0;
  };

  bool is_known(std::uint64_t address, std::uint64_t size) const;
  void note(std::uint64_t address, std::uint64_t size);
  bool is_recorded() {
    if (next_ >= recorded_.size() || recorded_[next_] != accesses_) return false;
    ++next_;
    return true;
  }
  TouchedPage& page(std::uint64_t number) {
    const RecentPage& recent = recent_[number % recent_.size()];
    return recent.number == number ? pages_[recent.place] : find_page(number);
  }
  TouchedPage& find_page(std::uint64_t number);
  // As this execution has left it.
  TouchedLane& lane(std::uint64_t number) {
    TouchedLane& found = page(number / lanes_per_page).lanes[number % lanes_per_page];
    if (found.execution != execution_) begin_lane(found, number);
    return found;
  }
  void begin_lane(TouchedLane& lane, std::uint64_t number);
  bool touch_lane(std::uint64_t number, std::uint64_t words, TaskId task, bool is_write);
  std::uint64_t of_others(const TouchedLane& lane, std::uint64_t words, TaskId task) const;
  void own(TouchedLane& lane, std::uint64_t words, TaskId task);
  void free_lane(std::uint64_t number, const TouchedLane& lane, std::uint64_t words, TaskId task);

  WordSet* known_ = nullptr;
  From from_ = From::touches;
  bool follows_ = false;
  std::span<const std::uint32_t> recorded_;
  std::size_t next_ = 0;
  std::uint32_t accesses_ = 0;
  OpenTrace* open_ = nullptr;

  std::uint32_t execution_ = 0;
  FlatMap<std::uint32_t> page_numbers_;  // to the place in pages_, counted from 1
  std::vector<TouchedPage> pages_;       // of all executions; a lane of another one counts as empty
  std::array<RecentPage, 64> recent_;    // by the last bits of their numbers
  std::vector<Owners> owners_;  // of lanes that several tasks have begun, in this execution
  std::vector<LaneBits> found_;
};

}  // namespace ricercar::inline threads
