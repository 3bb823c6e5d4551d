// Delaying explorers: which task runs next, unless the search delays it.
//
// An explorer is a deterministic scheduler with one operation more: `delay` makes it prefer another
// task. The search (`ses`, `ss`) goes through the executions in the order of how many delays they
// need, so an explorer says what to look at first. It must be sound: in a state with n tasks that
// can go on, n - 1 delays in a row have made `next` name every one of them.
//
//   class NewestFirst : public ricercar::DelayingExplorer { ... };
//   const ricercar::RegisterExplorer<NewestFirst> newest_first("newest-first");
//
//   ricercar run --strategy ses:explorer=newest-first ./program
//
// (Desai, Qadeer, Seshia, Systematic Testing of Asynchronous Reactive Systems, ESEC/FSE 2015.)
#pragma once

#include <ricercar/abi.h>

#include <cstdint>
#include <exception>
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

  const std::uint64_t* words() const { return words_; }
  unsigned count() const { return count_; }  // of words

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

  // The value that costs no delay where `task` asks for one of `count`; each other one costs one.
  virtual unsigned value(unsigned /*task*/, unsigned /*count*/) const { return 0; }

  virtual void started(unsigned task) = 0;  // a task was created
  virtual void finished(unsigned) {}        // a task has ended
  virtual void step(const ExplorerStep&) {}
  // A number for the explorer's own state, which `exact=yes` needs: different for explorers that
  // would go on differently. 0: there is none.
  virtual std::uint64_t identity() const { return 0; }
};

// A static object of this type gives an explorer its name. The explorer is made anew, by its
// default constructor, for each execution. It runs in the middle of the program but is no part of
// it: it must not use what the program uses, and keeps nothing but what is in the object.
template <typename Explorer>
class RegisterExplorer {
 public:
  explicit RegisterExplorer(const char* name) {
    static const ricercar_explorer_functions functions = {
        make, copy, destroy, next, delay, started, finished, step, identity, value};
    ricercar_register_explorer(name, &functions);
  }

 private:
  static DelayingExplorer& self(void* explorer) {
    return *static_cast<DelayingExplorer*>(explorer);
  }
  static const DelayingExplorer& self(const void* explorer) {
    return *static_cast<const DelayingExplorer*>(explorer);
  }
  template <typename Call>
  static auto guarded(Call call) -> decltype(call()) {
    try {
      return call();
    } catch (const std::exception& exception) {
      ricercar_explorer_failed(exception.what());
    } catch (...) {
      ricercar_explorer_failed("something that is not a std::exception");
    }
    return decltype(call())();
  }

  static void* make() {
    return guarded([]() -> void* { return static_cast<DelayingExplorer*>(new Explorer); });
  }
  static void* copy(const void* explorer) {
    return guarded([&]() -> void* { return self(explorer).copy().release(); });
  }
  static void destroy(void* explorer) { delete &self(explorer); }
  static std::uint32_t next(const void* explorer, const std::uint64_t* enabled,
                            std::uint32_t words) {
    return guarded([&] { return self(explorer).next(EnabledTasks(enabled, words)); });
  }
  static void delay(void* explorer, const std::uint64_t* enabled, std::uint32_t words) {
    guarded([&] { self(explorer).delay(EnabledTasks(enabled, words)); });
  }
  static void started(void* explorer, std::uint32_t task) {
    guarded([&] { self(explorer).started(task); });
  }
  static void finished(void* explorer, std::uint32_t task) {
    guarded([&] { self(explorer).finished(task); });
  }
  static void step(void* explorer, const ricercar_explorer_step* step) {
    guarded([&] {
      self(explorer).step({static_cast<ExplorerStep::Kind>(step->kind), step->task, step->target,
                           step->what, step->value});
    });
  }
  static std::uint64_t identity(const void* explorer) {
    return guarded([&] { return self(explorer).identity(); });
  }
  static std::uint32_t value(const void* explorer, std::uint32_t task, std::uint32_t count) {
    return guarded([&] { return self(explorer).value(task, count); });
  }
};

// Tells the explorer that something has happened in the program which it would not see otherwise: a
// phase that has ended, say. Costs nothing outside of a search, and is no scheduling point.
inline void explorer_hint(std::uint64_t what, std::uint64_t value = 0) {
  ricercar_explorer_hint(what, value);
}

}  // namespace ricercar
