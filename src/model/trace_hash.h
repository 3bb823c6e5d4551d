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

namespace ricercar {

class TraceHash {
 public:
  std::uint64_t of(Trace trace);

 private:
  struct Object {
    std::uint64_t write = 0;
    std::uint64_t reads = 0;  // since then: their sum
  };

  void add(const Step& step);
  void touch(const Touch& piece);
  void apply_edges(const Step& step);
  std::uint64_t& of_task(std::uint64_t task);

  std::vector<std::uint64_t> tasks_;  // the last step of each
  std::vector<std::uint64_t> waiting_;
  std::unordered_map<std::uint64_t, Object> objects_;
  std::vector<Object*> written_, read_;  // by the current step
  std::uint64_t number_ = 0;             // of the current step
  std::uint64_t slot_ = 0;               // of the last decided step
};

}  // namespace ricercar
