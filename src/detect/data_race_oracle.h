// A slow and simple race detector to compare the fast one with. It keeps every operation of an
// execution as a node of a graph, draws the edges that C++20 (6.9.2.1 and 31.11) defines, and finds
// races byte by byte with a search for a path. For tests only.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "detect/data_race.h"

namespace ricercar::inline detect {

class RaceOracle {
 public:
  struct Memory {
    std::uint64_t address;
    std::uint64_t size;
  };
  struct Verdict {
    bool is_race = false;         // on a byte that had none before
    bool is_unspecified = false;  // touches a byte that has had a race
  };

  // By the standard a plain write of an atomic's memory ends its release sequences. That cannot be
  // seen before the first race of an execution.
  RaceOracle(Memory memory, bool plain_writes_end_release_sequences)
      : memory_(memory),
        plain_writes_end_release_sequences_(plain_writes_end_release_sequences),
        bytes_(memory.size) {
    last_[task_id(0)] = -1;
  }

  void task_created(TaskId parent, TaskId child);
  void task_joined(TaskId joiner, TaskId ended);
  void acquire(TaskId task, std::uint64_t object);
  void release(TaskId task, std::uint64_t object, bool replaces);
  void object_destroyed(std::uint64_t object) { objects_.erase(object); }
  void fence(TaskId task, Order order);
  void allocated(Memory range);

  Verdict plain(TaskId task, Memory range, bool is_write);
  Verdict freed(TaskId task, Memory range);
  Verdict atomic(TaskId task, Memory range, Order order, bool reads, bool writes);

  // The number that the next operation will have.
  int next() const { return static_cast<int>(nodes_.size()); }
  // Whether the last operation and the earlier one that the race names are a race on its bytes.
  bool confirms(const Race& race, int other) const;

 private:
  struct Access {
    bool is_write;
    bool is_atomic;
    Memory range;
  };
  struct Node {
    TaskId task;
    int life;  // tells two tasks with the same number apart
    std::vector<int> before;
    bool is_access = false;
    Access access = {};
  };
  struct Byte {
    std::vector<int> accesses;
    bool has_raced = false;
  };
  struct Modification {
    int node;
    bool is_update;
    bool is_release;
    std::vector<int> fences;  // release fences of the same task before it
  };

  int add(TaskId task);
  bool reaches(int from, int to) const;
  bool is_race(int earlier, int later) const;
  Verdict access(int node, Access access);
  std::vector<int> sources_of(std::uint64_t address) const;
  void end_names(Memory range);

  Memory memory_;
  bool plain_writes_end_release_sequences_;
  std::vector<Byte> bytes_;
  std::vector<Node> nodes_;
  int lives_ = 0;
  std::map<TaskId, int> life_;
  std::map<TaskId, int> last_;                         // the last node of each task; -1: none
  std::map<TaskId, std::vector<int>> release_fences_;  // so far
  std::map<TaskId, std::vector<int>> observed_;        // sources of all atomic reads so far
  std::map<std::uint64_t, std::vector<int>> objects_;  // release nodes
  std::map<std::uint64_t, std::vector<Modification>> modifications_;
};

}  // namespace ricercar::inline detect
