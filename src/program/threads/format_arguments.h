// What a format of the printf or the scanf family says about the memory behind its arguments: which
// texts are read, and what is written.
#pragma once

#include <cstdarg>
#include <cstdint>

namespace ricercar::inline threads {

// The texts of %s, and the memory of %n, which is written.
void program_reads_format(const char* format, va_list list, std::uint64_t site);

// What a call of the scanf family that made `assigned` assignments has written.
void program_writes_scanned(const char* format, va_list list, int assigned, std::uint64_t site);

}  // namespace ricercar::inline threads
