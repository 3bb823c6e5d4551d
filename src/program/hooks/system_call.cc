#include "threads/system_call.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/hook.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/polling.h"
#include "threads/process.h"
#include "threads/processors.h"
#include "threads/random_source.h"
#include "threads/signals.h"
#include "threads/sleep.h"
#include "threads/thread.h"
#include "threads/timer_descriptor.h"
#include "threads/transfers.h"

namespace ricercar::inline hooks {
namespace {

template <typename T>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);
}

long failed(int error) {
  errno = error;
  return -1;
}

// The names of the calls that would leave this process; null: another call.
const char* leaving_call(long number) {
  switch (number) {
    case SYS_fork:
      return "syscall(SYS_fork, ...)";
    case SYS_vfork:
      return "syscall(SYS_vfork, ...)";
    case SYS_clone:
      return "syscall(SYS_clone, ...)";
    case SYS_clone3:
      return "syscall(SYS_clone3, ...)";
    case SYS_execve:
      return "syscall(SYS_execve, ...)";
    case SYS_execveat:
      return "syscall(SYS_execveat, ...)";
    default:
      return nullptr;
  }
}

// Calls whose effects are not modelled if they are made by number; null: another call.
const char* unseen_call(long number) {
  switch (number) {
    case SYS_io_uring_setup:
    case SYS_io_uring_enter:
    case SYS_io_setup:
    case SYS_io_submit:
      return "starts asynchronous input or output, which is not under control";
    case SYS_open:
    case SYS_openat:
    case SYS_creat:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_mkdir:
    case SYS_mkdirat:
    case SYS_rmdir:
    case SYS_link:
    case SYS_linkat:
    case SYS_symlink:
    case SYS_symlinkat:
    case SYS_chmod:
    case SYS_fchmod:
    case SYS_fallocate:
    case SYS_access:
    case SYS_faccessat:
    case SYS_pread64:
    case SYS_pwrite64:
    case SYS_readv:
    case SYS_writev:
    case SYS_lseek:
    case SYS_ftruncate:
    case SYS_truncate:
    case SYS_sendfile:
    case SYS_copy_file_range:
      return "calls the file system through syscall(): that is not a point of the schedule, and "
             "what "
             "it "
             "changes is not put back";
    case SYS_mmap:
    case SYS_mremap:
    case SYS_munmap:
    case SYS_process_vm_readv:
    case SYS_process_vm_writev:
    case SYS_userfaultfd:
      return "changes or maps memory through syscall(), which is not looked at";
    default:
      return nullptr;
  }
}

bool sleep_call(const SystemCall& call, std::uint64_t site, long& result) {
  const bool on_clock = call.number == SYS_clock_nanosleep;
  const auto* time = pointer<const timespec>(call.arguments[on_clock ? 2 : 0]);
  if (time->tv_sec < 0 || !is_valid(time)) {
    result = failed(EINVAL);
  } else if (on_clock && (call.arguments[1] & TIMER_ABSTIME) != 0) {
    const auto clock = static_cast<clockid_t>(call.arguments[0]);
    result = sleep_until(moment(clock, time), site) != 0 ? failed(EINTR) : 0;
  } else {
    const std::uint64_t rest = sleep_for(VirtualClock::to_nanoseconds(*time), site);
    auto* left = pointer<timespec>(call.arguments[on_clock ? 3 : 1]);
    if (rest != 0 && left != nullptr) *left = VirtualClock::to_timespec(rest);
    result = rest != 0 ? failed(EINTR) : 0;
  }
  return true;
}

// Time and randomness, as the hooks of the functions with the same names have it.
bool time_call(const SystemCall& call, std::uint64_t site, long& result) {
  const long* arguments = call.arguments;
  result = 0;
  switch (call.number) {
    case SYS_clock_gettime:
      *pointer<timespec>(arguments[1]) = time_on_clock(static_cast<clockid_t>(arguments[0]), site);
      return true;
    case SYS_gettimeofday: {
      const timespec time = time_on_clock(CLOCK_REALTIME, site);
      *pointer<timeval>(arguments[0]) = {time.tv_sec, time.tv_nsec / 1000};
      return true;
    }
    case SYS_time:
      result = time_on_clock(CLOCK_REALTIME, site).tv_sec;
      if (arguments[0] != 0) *pointer<time_t>(arguments[0]) = result;
      return true;
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
      return sleep_call(call, site, result);
    case SYS_timerfd_create:
      result = as_result(timer_create_descriptor(static_cast<clockid_t>(arguments[0]),
                                                 static_cast<int>(arguments[1]), site));
      return true;
    case SYS_timerfd_settime:
      result = as_result(timer_set(static_cast<int>(arguments[0]), static_cast<int>(arguments[1]),
                                   pointer<const itimerspec>(arguments[2]),
                                   pointer<itimerspec>(arguments[3]), site));
      return true;
    case SYS_timerfd_gettime:
      result =
          as_result(timer_get(static_cast<int>(arguments[0]), pointer<itimerspec>(arguments[1])));
      return true;
    case SYS_sched_yield:
      give_way(site);
      return true;
    case SYS_getrandom:
      fill_randomly(pointer<void>(arguments[0]), static_cast<std::size_t>(arguments[1]));
      result = arguments[1];
      return true;
    default:
      return false;
  }
}

// A signal to a thread of the program.
long signal_thread(long process, long thread, long signal, std::uint64_t site) {
  Task* target = process < 0 || process == process_id() ? task_of_number(thread) : nullptr;
  if (target == nullptr) return failed(ESRCH);
  return as_result(signal_task(*target, {static_cast<int>(signal), SI_TKILL, nullptr}, site));
}

bool identity_call(const SystemCall& call, std::uint64_t site, long& result) {
  const long* arguments = call.arguments;
  switch (call.number) {
    case SYS_getpid:
      result = process_id();
      return true;
    case SYS_gettid:
      result = task_thread_id();
      return true;
    case SYS_getcpu:
      result = ::getcpu(pointer<unsigned>(arguments[0]), pointer<unsigned>(arguments[1]));
      return true;
    case SYS_sched_getaffinity:
      result =
          as_result(get_processors(static_cast<pid_t>(arguments[0]), pointer<void>(arguments[2]),
                                   static_cast<std::size_t>(arguments[1])));
      return true;
    case SYS_sched_setaffinity:
      result = as_result(set_processors(static_cast<pid_t>(arguments[0]),
                                        pointer<const void>(arguments[2]),
                                        static_cast<std::size_t>(arguments[1])));
      return true;
    case SYS_tgkill:
      result = signal_thread(arguments[0], arguments[1], arguments[2], site);
      return true;
    case SYS_tkill:
      result = signal_thread(-1, arguments[0], arguments[1], site);
      return true;
    case SYS_kill:
      result = ::kill(static_cast<pid_t>(arguments[0]), static_cast<int>(arguments[1]));
      return true;
    default:
      return false;
  }
}

// Calls that may block.
bool waiting_call(const SystemCall& call, std::uint64_t site, long& result) {
  const long* arguments = call.arguments;
  const auto number = static_cast<int>(arguments[0]);
  const auto size = static_cast<std::size_t>(arguments[2]);
  switch (call.number) {
    case SYS_read:
      result = as_result(read_from("read", number, pointer<void>(arguments[1]), size, site));
      return true;
    case SYS_write:
      result = as_result(write_to("write", number, pointer<const void>(arguments[1]), size, site));
      return true;
    case SYS_close:
      result = as_result(close_descriptor(number, site));
      return true;
    case SYS_poll:
      result = as_result(
          poll_descriptors("poll", pointer<pollfd>(arguments[0]), static_cast<nfds_t>(arguments[1]),
                           TimeLimit::milliseconds(static_cast<int>(arguments[2])), site));
      return true;
    default:
      return false;
  }
}

// Calls that would reach descriptors of the runtime.
bool descriptor_call(const SystemCall& call, std::uint64_t site, long& result) {
  const auto first = static_cast<int>(call.arguments[0]);
  const auto second = static_cast<int>(call.arguments[1]);
  const auto third = static_cast<int>(call.arguments[2]);
  switch (call.number) {
    case SYS_dup2:
      result = ::dup2(first, second);
      return true;
    case SYS_dup3:
      result = ::dup3(first, second, third);
      return true;
    case SYS_close_range:
      result = ::close_range(static_cast<unsigned>(first), static_cast<unsigned>(second), third);
      return true;
    default:
      if (const char* what = unseen_call(call.number)) not_modelled(what, site);
      // Nobody knows what it does: it may open a descriptor.
      note_descriptors();
      used_past_hooks(-1);
      return false;
  }
}

}  // namespace

}  // namespace ricercar::inline hooks

namespace ricercar::inline threads {

bool controlled_system_call(const SystemCall& call, std::uint64_t site, long& result) {
  if (call.number == SYS_exit_group) ::_exit(static_cast<int>(call.arguments[0]));
  if (call.number == SYS_exit) thread_exit(nullptr);
  if (const char* name = leaving_call(call.number)) unsupported(name, site);
  refuse_filters(call.number, call.arguments[0], site);
  return time_call(call, site, result) || identity_call(call, site, result) ||
         waiting_call(call, site, result) || descriptor_call(call, site, result);
}

}  // namespace ricercar::inline threads
