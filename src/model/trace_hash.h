// A number for a Mazurkiewicz trace: the same for executions that differ only in the order of steps
// that commute (model/dependence.h), and almost surely different for others.
//
// Every step gets a number made from those of the steps right before it: the last one of its task,
// and the last ones that touched its objects. The number of the trace is the sum, so no order
// enters but that of dependent steps.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/dependence.h"
#include "model/state.h"

namespace ricercar::inline model {

class TraceHash {
 public:
  // Of a whole trace.
  std::uint64_t of(Trace trace);

  // Step by step: `trace` is the one of the last call with more at its end. A trace of an execution
  // that goes on stands for its state.
  void begin();
  Fingerprint extend(Trace trace);

 private:
  // Two numbers that are made alike from different beginnings.
  struct Number {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    void mix(const Number& other);
    void mix_sum(const Number& other);
    void mix(std::uint64_t part);
    void add(const Number& other);
  };
  struct Object {
    Number write;
    Number reads;  // since then: their sum
  };

  void add(const Step& step);
  void touch(const Touch& piece);
  void apply_edges(const Step& step);
  Number& of_task(std::uint64_t task);

  std::vector<Number> tasks_;  // the last step of each
  std::vector<std::uint64_t> waiting_;
  std::unordered_map<std::uint64_t, Object> objects_;
  std::vector<Object*> written_, read_;  // by the current step
  Number number_;                        // of the current step
  Number slot_;                          // of the last decided step
  Number sum_;
  std::size_t seen_ = 0;
};

}  // namespace ricercar::inline model
