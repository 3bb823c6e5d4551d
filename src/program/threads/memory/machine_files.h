// Files of the kernel that describe the processors: /proc/cpuinfo and its relatives. A program
// under control finds the machine in them that the functions of the C library show it.
#pragma once

namespace ricercar::inline threads {

inline constexpr int machine_processors = 4;

// A descriptor of a copy made for the program; negative: the path is that of another file.
int open_machine_file(const char* path, int flags);

}  // namespace ricercar::inline threads
