// Which executions are looked at for circles, which may be livelocks: looking costs time, so a
// small share of the steps is looked at, and few probes are made; more at the beginning of a
// search. And how a process that searches and one that counts what several have searched tell each
// other of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace ricercar::inline search {

// Of a search, or of a piece of one.
struct ProbeBudget {
  std::uint64_t shortest = ~std::uint64_t{0};  // steps of the shortest execution so far
  std::uint64_t looked_at = 0;                 // steps in which a circle was looked for
  std::uint64_t probes = 0;
  std::uint64_t steps_before = 0;  // of the search, before the piece
  bool is_first = true;            // the piece

  // An execution that is longer than another one may have gone in circles.
  bool is_long(std::uint64_t steps) {
    shortest = std::min(shortest, steps);
    return steps > shortest + 4;
  }
  bool is_over() const { return probes >= (is_first ? 50U : 5U); }
  // `all`: steps of the search so far.
  bool may_look(std::uint64_t steps, std::uint64_t all) {
    constexpr std::uint64_t share = 16;
    const std::uint64_t always = is_first ? 20000 : 0;
    if (!is_long(steps) || is_over()) return false;
    return looked_at <= always || looked_at * share <= all - steps_before;
  }
};

// What somebody has to know who looks for somebody else, who decides what is looked at.
struct ProbeTask {
  bool is_on = false;    // the other one decides
  bool is_over = false;  // nothing will be looked at any more
  std::uint64_t shortest = 0;
  std::vector<std::uint64_t> known;  // circles: of no interest
  std::uint64_t wanted = 0;          // the one to be probed; 0: none

  std::string to_bytes() const {
    ByteWriter writer;
    if (!is_on) return {};
    writer.plain(is_over);
    writer.number(shortest);
    writer.list(std::span<const std::uint64_t>(known));
    writer.plain(wanted);
    return writer.take();
  }
  static ProbeTask from(std::string_view bytes) {
    ProbeTask task;
    if (bytes.empty()) return task;
    ByteReader reader(bytes);
    task.is_on = true;
    task.is_over = reader.plain<bool>();
    task.shortest = reader.number();
    task.known = reader.list<std::uint64_t>();
    task.wanted = reader.plain<std::uint64_t>();
    return task;
  }
};

// What an execution has shown of circles.
struct ProbeFacts {
  std::uint64_t steps = 0;  // 0: it is no matter
  bool was_looked_at = false;
  std::vector<std::uint64_t> circles;  // that were not known, in the order in which they are found

  void write(ByteWriter& writer) const {
    writer.number(steps * 2 + (was_looked_at ? 1 : 0));
    writer.list(std::span<const std::uint64_t>(circles));
  }
  void read(ByteReader& reader) {
    const std::uint64_t head = reader.number();
    steps = head / 2;
    was_looked_at = head % 2 != 0;
    circles = reader.list<std::uint64_t>();
  }
};

}  // namespace ricercar::inline search
