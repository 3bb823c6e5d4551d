// Calls of a node that the rest of the cluster matters to: a crash may come before a change lasts,
// a disk may fail, and a transfer may be cut short.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cluster/memory.h"

namespace ricercar::inline threads {

// Before a call that makes changes last, as fsync().
void point_before_sync(const char* call, std::uint64_t site);
// Before a call that writes: if what it writes lasts at once (O_SYNC).
void point_before_write(const char* call, int number, std::uint64_t site);

// Nothing has gone wrong yet.
void forget_faults_of_node();

// What goes wrong with a call that syncs a file, writes to one of the node's files, or reads from a
// file or a stream. Where something may, that is a point of the schedule. A crash may come before a
// sync, too.
CallFault fault_of_sync(const char* call, std::uint64_t site);
CallFault fault_of_writing(const char* call, int number, std::size_t size, std::uint64_t site);
CallFault fault_of_reading(const char* call, int number, std::size_t size, std::uint64_t site);
// A lock of a file was asked for. Other nodes can see that, and what becomes of it.
void note_file_lock();
// One may have been given back: others who wait look again.
void file_lock_changed();
// The node has ended: no lock outlives it.
void release_file_locks();

// As the kernel would say it: negative; 0: it may be made.
long error_of(CallFault fault);

}  // namespace ricercar::inline threads
