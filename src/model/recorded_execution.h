// What it takes, with the program and its options, to run an execution again: one struct from the
// search to the tool, into a file, and back into a replay.
#pragma once

#include <cstdint>

#include "model/fields.h"
#include "model/operation.h"

namespace ricercar::inline model {

// How far an execution is told that goes round for ever.
struct EndlessEnd {
  std::uint64_t steps = 0;  // 0: up to the limit of steps
  std::uint64_t round = 0;  // its last steps, which come again and again; 0: to be found out
};

// What is known of an execution besides its decisions, under these names in a file.
struct ExecutionFacts {
  // Uses of thread keys were choice points (threads/keys.h).
  bool key_points = false;
  // So many findings (data races, ...) the execution went on through before this one, because they
  // were known or not to fail the search.
  std::uint64_t passed = 0;
  // How many plain accesses it made that are no points; 0: not known.
  std::uint64_t plain_accesses = 0;
  // It goes round for ever: so many steps at its end come again and again; 0: it does not.
  std::uint64_t round = 0;
  // That execution is told up to the end of a round, after so many steps. Who runs it again goes on
  // round up to the limit of steps, to see that it still does, and keeps nothing of that; 0: it is
  // told up to the limit.
  std::uint64_t told_steps = 0;

  static constexpr auto fields() {
    return std::tuple(
        Field{"key_points", &ExecutionFacts::key_points}, Field{"passed", &ExecutionFacts::passed},
        Field{"plain_accesses", &ExecutionFacts::plain_accesses},
        Field{"round", &ExecutionFacts::round}, Field{"told_steps", &ExecutionFacts::told_steps});
  }
};
static_assert(names_all_fields<ExecutionFacts>);

// Of one that is told less than it was run.
inline EndlessEnd told_of(const ExecutionFacts& facts) {
  return facts.told_steps == 0 ? EndlessEnd{} : EndlessEnd{facts.told_steps, facts.round};
}

// `List`: std::vector, or Array for what passes between processes.
template <template <typename...> typename List>
struct RecordedExecution : ExecutionFacts {
  // One entry for each choice point with at least two options: the task chosen (schedule points) or
  // the alternative (value points), and six bits of a hash of the operation that it led to.
  List<std::uint16_t> decisions;
  List<std::uint8_t> checks;
  // What each of the first decisions led to, for messages. Empty in files of earlier versions.
  List<TaskOperation> operations;
  // With the points `shared`: which of the plain accesses were choice points, by number, ascending.
  List<std::uint32_t> accesses;

  // As `other` is, with lists that convert(list) makes.
  template <template <typename...> typename Other, typename Convert>
  void assign(const RecordedExecution<Other>& other, Convert convert) {
    static_cast<ExecutionFacts&>(*this) = other;
    decisions = convert(other.decisions);
    checks = convert(other.checks);
    operations = convert(other.operations);
    accesses = convert(other.accesses);
  }
};

}  // namespace ricercar::inline model
