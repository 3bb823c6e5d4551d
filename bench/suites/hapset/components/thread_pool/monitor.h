// A mutex and a condition in one, as the pool uses them: wait and notify are for threads that hold
// the monitor.
//
// Several monitors may share one mutex, so that one lock protects what several conditions are
// about.
#pragma once

#include <memory>

#include "mutex.h"

namespace hapset::pool {

class Monitor {
 public:
  // A monitor with a mutex of its own.
  Monitor();
  // A monitor with the mutex of another one, which has to live longer.
  explicit Monitor(Monitor& owner);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  void lock() { mutex_->lock(); }
  void unlock() { mutex_->unlock(); }

  // Gives the monitor up until somebody notifies it. The caller looks again at what it waits for.
  void wait();
  // The same, but not for ever: false if the time was over first.
  bool wait_until(TimePoint deadline);
  bool wait_for(Duration duration) { return wait_until(Clock::now() + duration); }

  void notify();
  void notify_all();

 private:
  void make_condition();

  std::unique_ptr<Mutex> own_mutex_;
  Mutex* mutex_;
  pthread_cond_t condition_;
};

// Holds a monitor for a block.
class Synchronized {
 public:
  explicit Synchronized(Monitor& monitor) : monitor_(monitor) { monitor_.lock(); }
  ~Synchronized() { monitor_.unlock(); }
  Synchronized(const Synchronized&) = delete;
  Synchronized& operator=(const Synchronized&) = delete;

 private:
  Monitor& monitor_;
};

// Opens when so many threads have counted it down.
class Latch {
 public:
  explicit Latch(int count) : count_(count) {}

  void count_down();
  void wait();
  int count();

 private:
  Monitor monitor_;
  int count_;
};

}  // namespace hapset::pool
