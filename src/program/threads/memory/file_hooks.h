// What the scheduler wants to know about calls to the file system. Threads meet there: one creates
// a file while another one looks for it, both write at one offset. So such calls are points of the
// schedule, with what they do to the file system. The functions are the scheduler's.
//
// A new call is a hook that makes a FileStep around the C library's function.
#pragma once

#include <stdio.h>

#include <cstdint>
#include <type_traits>

namespace ricercar::inline threads {

enum class FileEffect : std::uint8_t {
  looks,    // which names there are: access, open without creating
  changes,  // names and descriptors, or what a name stands for: unlink, truncate, close
  status,   // asks for something that writing to a file changes: stat
  reads,    // contents of an open file, at a place that the call names: pread
  writes,   // contents, or the offset: read, write, pwrite, lseek, ftruncate
};

struct FileCall {
  const char* name;
  FileEffect effect;
  const char* path = nullptr;
  int number = -1;                 // of a descriptor
  const char* new_path = nullptr;  // rename, link
};

// Before the call: true if somebody else may come first, and has.
bool file_call_begins(const FileCall& call, void* caller);
// After it; `error` is 0 or a number of <errno.h>.
void file_call_ended(const FileCall& call, long result, int error);

class FileStep {
 public:
  FileStep(const FileCall& call, void* caller)
      : call_(call), is_step_(file_call_begins(call, caller)) {}
  template <typename Result>
  Result end(Result result) const {
    if (is_step_) told(result);
    return result;
  }
  // For what the kernel returned: a negative error number if it failed.
  long end_raw(long result) const {
    if (is_step_) file_call_ended(call_, result, result < 0 ? static_cast<int>(-result) : 0);
    return result;
  }

 private:
  template <typename Result>
  void told(Result result) const {
    if constexpr (std::is_pointer_v<Result>) {
      tell(result == nullptr ? -1 : 0);
    } else {
      tell(static_cast<long>(result));
    }
  }
  void tell(long result) const;

  FileCall call_;
  bool is_step_;
};

// Locks of files that may block: fcntl with F_OFD_SETLK, F_OFD_SETLKW, and in a node F_SETLK and
// F_SETLKW. False: another command.
bool file_lock_call(int number, int command, void* lock, long& result, void* caller);
// open() of a pipe with a name, which waits until somebody has opened the other end; `result` as
// the kernel returns it. False: it is none, or the call does not wait.
bool pipe_opened(int folder, const char* path, int flags, long& result, void* caller);
// A stream of the C library over it.
FILE* stream_over(int number, const char* mode, void* caller);
// The program calls ioctl().
void device_call(unsigned long request, void* caller);

}  // namespace ricercar::inline threads
