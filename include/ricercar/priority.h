// A priority function of one's own for best-first search: which of the executions that are known
// and wait should come first.
//
//   class StoresFirst : public ricercar::PriorityFunction {
//     unsigned priority(const ricercar::Trace& trace, std::size_t step, unsigned task) override {
//       const std::size_t next = trace.next(task, step);
//       return next < trace.size() && trace[next].is("atomic_store") ? 0 : 1;
//     }
//   };
//   const ricercar::RegisterPriority<StoresFirst> stores_first("stores-first");
//
//   ricercar run --strategy bestfirst:priority=stores-first+pb ./program
//
// It is asked after each execution, outside of the program's threads, and must give the same answer
// for the same question: before the next execution the memory of the program, and with it
// everything that a function has stored, is put back to what it was before main.
#pragma once

#include <ricercar/abi.h>

#include <cstddef>
#include <exception>
#include <string_view>

namespace ricercar {

// One step of an execution; see ricercar_step.
struct Step : ricercar_step {
  std::string_view name() const { return ricercar_operation_name(kind); }  // "lock", "atomic_load"
  bool is(std::string_view operation) const { return name() == operation; }
  bool reads() const { return ricercar_operation_access(kind) == 1; }
  bool writes() const { return ricercar_operation_access(kind) == 2; }
};

// An execution that has come to its end.
class Trace {
 public:
  Trace(const ricercar_step* steps, std::size_t size) : steps_(steps), size_(size) {}

  std::size_t size() const { return size_; }
  Step operator[](std::size_t i) const { return Step{steps_[i]}; }
  // Where the task did its first step at `from` or behind it; size(): it did none.
  std::size_t next(unsigned task, std::size_t from) const {
    while (from < size_ && steps_[from].task != task) ++from;
    return from;
  }

 private:
  const ricercar_step* steps_;
  std::size_t size_;
};

class PriorityFunction {
 public:
  virtual ~PriorityFunction() = default;
  // How soon to try an execution that is like `trace` up to `step` and lets `task` run there, in
  // place of the task of trace[step]. Small numbers come first; 65535 is the largest.
  virtual unsigned priority(const Trace& trace, std::size_t step, unsigned task) = 0;
};

// A static object of this type gives a function its name.
template <typename Function>
class RegisterPriority {
 public:
  explicit RegisterPriority(const char* name) {
    // Never deleted: it is asked when the program's static objects are gone.
    ricercar_register_priority(name, &call, new Function);
  }

 private:
  static std::uint32_t call(void* function, const ricercar_step* trace, std::uint64_t length,
                            std::uint64_t step, std::uint32_t task) {
    try {
      PriorityFunction& asked = *static_cast<Function*>(function);
      return asked.priority(Trace(trace, length), step, task);
    } catch (const std::exception& exception) {
      ricercar_priority_failed(exception.what());
    } catch (...) {
      ricercar_priority_failed("something that is not a std::exception");
    }
    return 0;
  }
};

}  // namespace ricercar
