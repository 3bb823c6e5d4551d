// Runs things later. One thread of its own, the dispatcher, waits for the next timer and runs it;
// what takes long belongs into a pool, and the timer only adds it there.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "monitor.h"
#include "thread.h"

namespace hapset::pool {

class TimerManager {
 public:
  // The factory has to live longer.
  explicit TimerManager(const ThreadFactory& factory);
  // Stops it.
  ~TimerManager();
  TimerManager(const TimerManager&) = delete;
  TimerManager& operator=(const TimerManager&) = delete;

  using TimerId = int;

  // Returns when the dispatcher runs.
  void start();
  // Waits until the dispatcher has ended. Timers that are not due are not run any more.
  void stop();

  // Runs it once, so much later. It is an error to add to a manager that does not run.
  TimerId add(std::unique_ptr<Runnable> runnable, Duration delay);
  // False: it has run, or was removed before.
  bool remove(TimerId id);

  std::size_t pending_count();

 private:
  class Dispatcher;
  enum class State { made, starting, started, stopping, stopped };

  struct Timer {
    TimerId id = 0;
    std::unique_ptr<Runnable> runnable;
  };

  // For the dispatcher.
  void enter();
  void leave();
  std::vector<Timer> wait_for_due();
  std::vector<Timer> take_due();
  bool is_earliest(TimePoint time) const;

  const ThreadFactory& factory_;
  Monitor monitor_;
  State state_ = State::made;
  TimerId last_id_ = 0;
  std::multimap<TimePoint, Timer> timers_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace hapset::pool
