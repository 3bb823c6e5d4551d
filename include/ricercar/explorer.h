// Delaying explorers: which task runs next, unless the search delays it.
//
// An explorer is a deterministic scheduler with one operation more: `delay` makes it prefer another
// task. The search (`ses`, `ss`) goes through the executions in the order of how many delays they
// need, so an explorer says what to look at first. It must be sound: in a state with n tasks that
// can go on, n - 1 delays in a row have made `next` name every one of them.
//
//   class NewestFirst : public ricercar::DelayingExplorer { ... };          //
//   examples/own_explorer.cc const ricercar::RegisterExplorer<NewestFirst>
//   newest_first("newest-first");
//
//   ricercar run --strategy ses:explorer=newest-first ./program
//
// (Desai, Qadeer, Seshia, Systematic Testing of Asynchronous Reactive Systems, ESEC/FSE 2015.)
#pragma once

#include <ricercar/abi.h>

#include <cstdint>
#include <memory>

namespace ricercar {

// The tasks that can go on now, as bits. Tasks are numbered from 0 in the order of creation.
class EnabledTasks {
 public:
  EnabledTasks(const std::uint64_t* words, unsigned count) : words_(words), count_(count) {}

  bool contains(unsigned task) const {
    return task / 64 < count_ && (words_[task / 64] >> (task % 64) & 1) != 0;
  }
  // The smallest one from `task` on; `none` if there is no such one.
  static constexpr unsigned none = ~0U;
  unsigned from(unsigned task) const {
    for (unsigned word = task / 64; word < count_; ++word) {
      const std::uint64_t rest =
          word == task / 64 ? words_[word] >> (task % 64) << (task % 64) : words_[word];
      if (rest != 0) return word * 64 + static_cast<unsigned>(__builtin_ctzll(rest));
    }
    return none;
  }

 private:
  const std::uint64_t* words_;
  unsigned count_;
};

// Something that has happened.
struct ExplorerStep {
  enum Kind : std::uint8_t {
    ran,      // `task` went on to its next scheduling point
    sent,     // `task` sent an event to `target`, or woke it, or let it in
    blocked,  // `task` cannot go on any more
    hint,     // `task` called ricercar::explorer_hint(what, value)
  } kind;
  unsigned task;
  unsigned target = 0;
  std::uint64_t what = 0;
  std::uint64_t value = 0;
};

class DelayingExplorer {
 public:
  virtual ~DelayingExplorer() = default;

  virtual std::unique_ptr<DelayingExplorer> copy() const = 0;
  // The task to run now, one of `enabled`.
  virtual unsigned next(const EnabledTasks& enabled) const = 0;
  // Makes `next` name another task.
  virtual void delay(const EnabledTasks& enabled) = 0;

  virtual void started(unsigned task) = 0;  // a task was created
  virtual void finished(unsigned) {}        // a task has ended
  virtual void step(const ExplorerStep&) {}
  // A number for the explorer's own state, which `exact=yes` needs: different for explorers that
  // would go on differently. 0: there is none.
  virtual std::uint64_t identity() const { return 0; }
};

}  // namespace ricercar
