// Small random concurrent programs: what they are made of, and what they leave behind.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ricercar::test {

inline constexpr int max_threads = 3;
inline constexpr int max_operations = 16;  // of one thread
inline constexpr int variables = 2;
inline constexpr int mutexes = 2;
inline constexpr int nodes = 2;  // on the heap, there from the start

enum class Kind : std::uint8_t {
  load,
  store,
  add,               // fetch_add
  compare_exchange,  // strong
  lock,
  unlock,
  try_lock,    // skips `second` operations if it fails
  timed_lock,  // the same, if its moment `first` comes; moments are small numbers
  read_lock,   // of the one reader-writer lock
  write_lock,
  release,  // it
  post,
  take,           // from the semaphore
  timed_take,     // until its moment `first`
  wait_for_flag,  // while (!flag) wait; with mutex 0
  wait_once,      // one wait, whatever the flag; with mutex 0
  raise_flag,     // with mutex 0
  signal,
  broadcast,
  barrier,  // of all threads
  yield,
  use_node,   // adds to the atomic in it
  read_node,  // what is not atomic; belongs to the operation before it
  free_node,  // likewise
};

struct Operation {
  Kind kind;
  int object = 0;  // the number of a variable or a mutex
  int first = 0;   // an operand: the value, or what is expected
  int second = 0;
};

using Thread = std::vector<Operation>;
using Program = std::vector<Thread>;

// What can be told at the end: the result of each operation, and the memory.
struct Final {
  std::array<std::array<std::int8_t, max_operations>, max_threads> results{};
  std::array<std::int8_t, variables> values{};
  bool flag = false;
  auto operator<=>(const Final&) const = default;
};

// Every execution of a program: the finals, sorted, and how many executions ended in a deadlock.
struct Executions {
  std::vector<Final> finals;
  std::uint64_t deadlocks = 0;
  std::uint64_t heap_errors = 0;  // executions that ended in a use after free, or a double free
  // One number for each Mazurkiewicz trace of those that ended well: the dependence is that of
  // model/dependence.h, written down once more.
  std::set<std::uint64_t> traces;

  std::uint64_t count() const { return finals.size() + deadlocks + heap_errors; }
};

Program generate(std::uint64_t seed);
// One that uses and frees nodes, and never deadlocks.
Program generate_with_heap(std::uint64_t seed);
std::string to_text(const Program& program);

// By brute force over an abstract model, which shares nothing with the tool. Gives up, with no
// executions at all, if there are more than `limit`.
Executions enumerate(const Program& program, std::uint64_t limit);

}  // namespace ricercar::test
