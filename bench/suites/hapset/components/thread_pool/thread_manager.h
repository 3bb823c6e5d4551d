// The pool: workers, which may be added and removed while it runs, and a queue of tasks.
//
// Two locks: `monitor_` protects everything; its condition is for workers without a task.
// `worker_monitor_` is where add_workers and remove_workers wait until as many workers are there as
// there should be. Nobody holds both.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "monitor.h"
#include "thread.h"

namespace hapset::pool {

enum class PoolBug {
  none,
  // The worker that completes the number of workers notifies `worker_monitor_` without holding it.
  // The thread in add_workers or remove_workers may have looked at the number and not wait yet:
  // then nobody notifies it again. It waits for ever, and so do the workers that are left, for
  // tasks.
  unlocked_notify,
};

struct PoolOptions {
  std::size_t pending_most = 0;  // tasks in the queue; 0: as many as there are
  PoolBug bug = PoolBug::none;
};

class ThreadManager {
 public:
  using ExpireCallback = std::function<void(Runnable&)>;

  // The factory has to live longer.
  ThreadManager(const ThreadFactory& factory, PoolOptions options);
  // Stops the pool.
  ~ThreadManager();
  ThreadManager(const ThreadManager&) = delete;
  ThreadManager& operator=(const ThreadManager&) = delete;

  void start();
  // Waits until the queue is empty and all workers have ended.
  void join();
  // Waits until all workers have ended; tasks in the queue are not run any more.
  void stop();

  // Returns when the workers run.
  void add_workers(std::size_t count);
  // Returns when so many workers have left.
  void remove_workers(std::size_t count);

  // Adds a task. If too many are pending the caller waits, at most so long if it says how long. A
  // worker would wait for itself, and a patience of zero is none: they fail at once.
  void add(std::unique_ptr<Runnable> runnable, std::optional<Duration> patience = {},
           std::optional<Duration> lifetime = {});
  // Takes the next task out of the queue; null if there is none.
  std::unique_ptr<Runnable> remove_next();

  // Called for a task that was too long in the queue, in place of running it.
  void set_expire_callback(ExpireCallback callback);

  std::size_t worker_count() const { return worker_count_; }
  std::size_t idle_count();
  std::size_t pending_count();
  std::size_t expired_count();

 private:
  class Task;
  class Worker;
  enum class State { made, started, joining, stopping, ended };

  void shut_down(State state);
  void hire(std::vector<std::unique_ptr<Thread>> threads);
  void reduce_target(std::size_t count);
  void wait_for_workers();
  void announce_worker_count();
  void join_dead_workers();
  void wait_for_room(std::optional<Duration> patience);
  bool has_room() const;
  bool is_worker_thread() const;

  // For workers.
  void enlist();
  std::unique_ptr<Task> next_task(Thread* worker);
  bool may_go_on() const;
  std::unique_ptr<Task> take_front();
  void bury(Thread* worker);
  void expire(Task& task);

  const ThreadFactory& factory_;
  const PoolOptions options_;

  Monitor monitor_;
  Monitor room_monitor_;  // with the mutex of monitor_: for those who wait to add a task
  Monitor worker_monitor_;

  State state_ = State::made;
  std::atomic<std::size_t> worker_count_ = 0;   // changes with monitor_ held
  std::atomic<std::size_t> worker_target_ = 0;  // the same
  std::size_t idle_count_ = 0;
  std::size_t expired_count_ = 0;
  std::deque<std::unique_ptr<Task>> tasks_;
  ExpireCallback expire_callback_;
  std::vector<std::unique_ptr<Thread>> workers_;
  std::vector<std::unique_ptr<Thread>> dead_workers_;  // to be joined
};

}  // namespace hapset::pool
