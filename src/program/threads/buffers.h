// Memory that the C library or the kernel reads or fills on behalf of the program: neither is
// instrumented, so their hooks tell what they touch, as accesses of the task that calls. They may
// race, and they may come after the memory was freed.
//
// What they keep for themselves (the buffers of streams, errno) is nobody's business.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

#include "threads/fiber.h"
#include "threads/own_code.h"

namespace ricercar::inline threads {

// The call is one of a task, not of the runtime itself. `site` is its return address.
inline bool is_for_program(std::uint64_t site) { return controlled() && !is_own_code(site); }

void program_reads(const void* memory, std::size_t size, std::uint64_t site);
void program_writes(void* memory, std::size_t size, std::uint64_t site);

// A text of the program with its end, or at most `limit` characters of it; null is none.
void program_reads_text(const char* text, std::uint64_t site);
void program_reads_text(const char* text, std::size_t limit, std::uint64_t site);

// The memory has not been freed.
void expect_live(const void* memory, bool is_write, std::uint64_t site);

// Memory that a call is about to fill; how much of it is known when it comes back.
class Filling {
 public:
  Filling(void* memory, std::size_t size, std::uint64_t site);
  void filled(std::size_t bytes) const;

 private:
  void* memory_;
  std::size_t size_;
  std::uint64_t site_;
};

// The parts of a message, as far as `bytes` go.
void program_reads_parts(const iovec* parts, std::size_t count, std::size_t bytes,
                         std::uint64_t site);
void program_writes_parts(const iovec* parts, std::size_t count, std::size_t bytes,
                          std::uint64_t site);

}  // namespace ricercar::inline threads
