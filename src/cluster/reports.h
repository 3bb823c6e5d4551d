// What the nodes of a cluster say about themselves in one execution: values, in the order in which
// they were reported. Plain data in memory that all processes of the cluster share. A node adds,
// the coordinator takes; one process runs at a time, so nothing is locked.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "cluster/network.h"
#include "model/ids.h"
#include "ricercar/abi.h"

namespace ricercar::inline cluster {

struct Reported {
  Reported* next = nullptr;
  std::uint32_t what = RICERCAR_LOG;
  std::uint32_t node = 0;
  TaskId task = no_task;   // in its node
  std::uint64_t step = 0;  // so many steps its node had made
  const char* id = "";
  const char* names = "";
  const ricercar_value* values = nullptr;
  std::uint32_t count = 0;

  std::span<const ricercar_value> all() const { return {values, count}; }
};

class ReportLog {
 public:
  void use(unsigned char* memory, std::size_t size) { memory_.use(memory, size); }
  void begin_execution();

  // Copies everything that `report` points to.
  void add(const Reported& report);
  // Null: nothing is left.
  const Reported* front() const { return first_; }
  const Reported* take();
  void discard() { first_ = last_ = nullptr; }
  // More was reported than there is room for: what came last is lost.
  bool is_full() const { return is_full_; }

 private:
  const char* copy(const char* text, std::size_t size);
  bool copy_values(Reported& report);

  MessageMemory memory_;
  Reported* first_ = nullptr;
  Reported* last_ = nullptr;
  bool is_full_ = false;
};

}  // namespace ricercar::inline cluster
