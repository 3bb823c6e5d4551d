// The file system, as far as the scheduler has to know it: which calls depend on each other, and
// what the race detector learns from them. Files and their numbers are the kernel's.
//
// Names are one object, whatever the path: links and `..` make two paths one file. Contents are an
// object for each file. What depends on what is said in model/dependence.h.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

// Names an open file in a trace: files are numbered in the order in which the execution uses them.
const void* object_of_file(std::uint64_t device, std::uint64_t inode);
const void* object_of_names();

}  // namespace ricercar::inline threads
