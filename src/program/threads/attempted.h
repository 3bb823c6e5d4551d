// A call of which nothing but an attempt can tell whether it would block. The attempt that the
// scheduler makes to find out is the call itself; what it gave is kept.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

struct Attempted {
  long (*attempt)(const long* arguments);  // without blocking; as the kernel returns it
  long arguments[5];
  long would_block;  // what `attempt` returns then
  bool is_about_files = false;
  long result = 0;
  bool done = false;
  bool has_waited = false;

  bool make();
};

// Waits as long as the call would block, or until the deadline (virtual; null: there is none). What
// the call gave; -EINTR or -ETIMEDOUT if it was given up.
long make_attempted(const char* name, Attempted& call, std::uint64_t site,
                    const std::uint64_t* deadline = nullptr);

}  // namespace ricercar::inline threads
