// Which plain accesses are choice points with --points shared: those of memory that threads share.
// Which memory that is gets learned on the way: a word that two tasks touch in one execution, and
// one of them writes, is shared from the next execution on. Then the search begins again, because
// the points of every execution have changed; it takes few executions until nothing more is found.
//
// What is done before the first task is created, or after all others were joined, is ordered with
// all that they do, and does not count.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/random.h"
#include "model/ids.h"
#include "model/open_trace.h"

namespace ricercar {

// A set of words of memory, by number (address / 8). It outlives a worker: see base/search_heap.h.
class WordSet {
 public:
  bool contains(std::uint64_t word) const {
    if (count_ == 0) return false;
    for (std::uint64_t at = mix64(word);; ++at) {
      const std::uint64_t found = slots_[at & (slots_.size() - 1)];
      if (found == word) return true;
      if (found == 0) return false;
    }
  }
  void insert(std::uint64_t word);
  std::size_t size() const { return count_; }

 private:
  std::vector<std::uint64_t> slots_;  // 0: empty
  std::size_t count_ = 0;
};

class Sharing {
 public:
  // Before a search. `known` stays the caller's.
  void learn_into(WordSet* known) {
    known_ = known;
    follows_ = false;
  }
  // Before a replay: the accesses with these numbers, in ascending order, are the points.
  void follow(std::span<const std::uint32_t> points) {
    recorded_ = points;
    follows_ = true;
  }

  // Where the points of an execution are noted; it has room for as many as there can be steps.
  void note_into(OpenTrace* open) { open_ = open; }

  void begin_execution() {
    open_->access_count = 0;
    accesses_ = next_ = 0;
    ++execution_;
  }

  // One more plain access, by a task that is not alone. No counter may be left on the stack: it
  // would end up in variables of the program that have no value yet, and its state would never be
  // the same again (threads/spin.h).
  bool is_point(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write) {
    const bool result = follows_ ? is_recorded() : touch(task, address, size, is_write);
    if (result) open_->accesses[open_->access_count++] = accesses_;
    ++accesses_;
    return result;
  }
  // An access that is a point, or is none, for other reasons: it counts for what others do.
  bool touch(TaskId task, std::uint64_t address, std::uint32_t size, bool is_write);

  // A block is freed: that counts as a write of all of it that was touched before.
  void freed(TaskId task, std::uint64_t address, std::uint64_t size);

  // The numbers of the accesses that were points in this execution: what a replay has to follow.
  std::span<const std::uint32_t> points() const { return open_->points(); }

  // After an execution: true if memory was found to be shared that was not known to be.
  bool learn();

 private:
  struct Word {
    std::uint64_t word = 0;
    std::uint32_t execution = 0;
    TaskId task = no_task;  // who touched it first
    bool is_written = false;
    bool is_shared = false;  // by several tasks
  };

  bool is_recorded() {
    if (next_ >= recorded_.size() || recorded_[next_] != accesses_) return false;
    ++next_;
    return true;
  }
  Word& at(std::uint64_t word);
  const Word* find(std::uint64_t word) const;
  void grow();

  WordSet* known_ = nullptr;
  bool follows_ = false;
  std::span<const std::uint32_t> recorded_;
  std::size_t next_ = 0;
  std::uint32_t accesses_ = 0;
  OpenTrace* open_ = nullptr;

  std::uint32_t execution_ = 0;
  std::vector<Word> words_;  // a hash table; what is of another execution counts as empty
  std::size_t used_ = 0;     // of this execution or earlier ones
  std::vector<std::uint64_t> found_;
};

}  // namespace ricercar
