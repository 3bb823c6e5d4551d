// Calls of a node that the rest of the cluster matters to: a crash may come before a change lasts,
// a disk may fail, and a transfer may be cut short.
#pragma once

#include <stdio.h>
#include <sys/socket.h>

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
// The same for what a stream of the C library writes when it is flushed or closed, or when it gets
// more than there is room for. The write is the C library's, so it is one that really fails: while
// this lives, the stream leads to a full device.
class FlushOfStream {
 public:
  FlushOfStream(const char* call, FILE* stream, std::uint64_t site);
  // The call puts `size` bytes into the buffer.
  FlushOfStream(const char* call, FILE* stream, std::size_t size, std::uint64_t site);
  FlushOfStream(const FlushOfStream&) = delete;
  FlushOfStream& operator=(const FlushOfStream&) = delete;

  // The call has been made, with this result.
  int done(int result, bool is_closed);
  template <typename Result>
  Result done(Result result) {
    done(0, false);
    return result;
  }

 private:
  void begin(const char* call, FILE* stream, std::uint64_t site);

  int number_ = -1;
  int kept_ = -1;  // what the stream leads to; negative: nothing goes wrong
  int flags_ = 0;  // of the descriptor
  CallFault fault_ = call_is_fine;
};

// A lock of a file was asked for. Other nodes can see that, and what becomes of it.
void note_file_lock();
// One may have been given back: others who wait look again.
void file_lock_changed();
// It has opened what is the kernel's, between nodes as well: a Unix-domain socket, a pipe with a
// name, a named semaphore, a message queue.
void note_kernel_meeting();
// Something may have changed there that another node can see.
void kernel_meeting_changed();
// The execution is over for the node: nobody is at its ends any more.
void leave_kernel_meetings();
// The node has ended: no lock outlives it.
void release_file_locks();

// --- Where several search the cluster at a time ---

// Does not return if there are others: the tool ends all of them, and one begins from the start.
void leave_cluster_to_one();
// As must_be_alone_at(int) for a name, and for an address of a socket: nothing is done if each
// search has a copy of the folder that it is in.
void must_be_alone_at(int folder, const char* path);
void must_be_alone_with(const sockaddr* address, socklen_t size);
// The program has been told who owns something; who is nobody may be somebody for one search.
void note_owner_seen(unsigned user, unsigned group);
// From now on, for every change of a file.
void watch_changes_of_node();

// Whether what streams of the C library write can fail: then the sizes of their texts matter.
bool stream_may_fail(FILE* stream);

// As the kernel would say it: negative; 0: it may be made.
long error_of(CallFault fault);

}  // namespace ricercar::inline threads
