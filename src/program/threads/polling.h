// Waiting for several descriptors at once. Each function does what the system call of the same
// meaning does and returns what the kernel would return. A time limit is virtual.
#pragma once

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include <cstdint>

namespace ricercar::inline threads {

// A time limit in virtual nanoseconds from now on.
class TimeLimit {
 public:
  static TimeLimit forever() { return TimeLimit(~std::uint64_t{0}); }
  static TimeLimit milliseconds(int count) {
    return count < 0 ? forever() : TimeLimit(static_cast<std::uint64_t>(count) * 1'000'000);
  }
  static TimeLimit of(const timespec* time);
  static TimeLimit of(const timeval* time);

  bool is_forever() const { return nanoseconds_ == ~std::uint64_t{0}; }
  bool is_zero() const { return nanoseconds_ == 0; }
  std::uint64_t nanoseconds() const { return nanoseconds_; }

 private:
  explicit TimeLimit(std::uint64_t nanoseconds) : nanoseconds_(nanoseconds) {}
  std::uint64_t nanoseconds_;
};

long poll_descriptors(const char* name, pollfd* entries, nfds_t count, TimeLimit limit,
                      std::uint64_t site);

struct SelectSets {
  fd_set* read;
  fd_set* write;
  fd_set* except;
};
long select_descriptors(const char* name, int count, SelectSets sets, TimeLimit limit,
                        std::uint64_t site);

long epoll_descriptors(const char* name, int epoll, epoll_event* events, int count, TimeLimit limit,
                       std::uint64_t site);

}  // namespace ricercar::inline threads
