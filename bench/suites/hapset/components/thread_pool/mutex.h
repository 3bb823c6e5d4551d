// Locks of the pool: a thin layer over POSIX threads. Every object may be used by all threads; none
// may be copied or moved.
#pragma once

#include <pthread.h>

#include <chrono>

namespace hapset::pool {

using Clock = std::chrono::steady_clock;
using Duration = Clock::duration;
using TimePoint = Clock::time_point;

// The point of time as POSIX wants it, on the monotonic clock.
timespec to_timespec(TimePoint time);

class Mutex {
 public:
  Mutex();
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock();
  bool try_lock();
  bool lock_until(TimePoint deadline);
  void unlock();

  pthread_mutex_t& native() { return mutex_; }

 private:
  pthread_mutex_t mutex_;
};

// Many readers or one writer.
class ReadWriteMutex {
 public:
  ReadWriteMutex();
  ~ReadWriteMutex();
  ReadWriteMutex(const ReadWriteMutex&) = delete;
  ReadWriteMutex& operator=(const ReadWriteMutex&) = delete;

  void lock_to_read();
  void lock_to_write();
  bool try_lock_to_read();
  bool try_lock_to_write();
  void unlock();

 private:
  pthread_rwlock_t lock_;
};

// Holds a mutex for a block.
class Guard {
 public:
  explicit Guard(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
  ~Guard() { mutex_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  Mutex& mutex_;
};

enum class Access { read, write };

// Holds a lock for readers and a writer for a block.
class ReadWriteGuard {
 public:
  ReadWriteGuard(ReadWriteMutex& mutex, Access access) : mutex_(mutex) {
    if (access == Access::read) {
      mutex_.lock_to_read();
    } else {
      mutex_.lock_to_write();
    }
  }
  ~ReadWriteGuard() { mutex_.unlock(); }
  ReadWriteGuard(const ReadWriteGuard&) = delete;
  ReadWriteGuard& operator=(const ReadWriteGuard&) = delete;

 private:
  ReadWriteMutex& mutex_;
};

}  // namespace hapset::pool
