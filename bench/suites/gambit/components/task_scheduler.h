// A task library: tasks are queued for the workers. Tasks may start tasks and wait for them; a task
// that waits for one that nobody runs yet runs it at once. The scheduler owns the tasks and keeps
// them until its end.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "spin.h"
#include "task_queue.h"

namespace gambit {

enum class TaskSchedulerBug {
  none,
  // Who waits for a task looks whether it is done and marks it as awaited, in two steps. If the
  // task ends between them the mark overwrites its end, and the waiter waits for ever.
  overwritten_end,
};

class ScheduledTask {
 public:
  explicit ScheduledTask(Task body) : body_(std::move(body)) {}

  // Runs the task unless somebody has begun to.
  void run_once() {
    if (claimed_.exchange(true)) return;
    body_();
    // A waiter that spins already goes first.
    if (state_.exchange(State::done) == State::awaited) std::this_thread::yield();
  }

  void wait(TaskSchedulerBug bug) {
    if (bug == TaskSchedulerBug::overwritten_end) {
      if (state_ == State::done) return;
      state_ = State::awaited;
    } else {
      State expected = State::pending;
      if (!state_.compare_exchange_strong(expected, State::awaited)) return;
    }
    spin_until([this] { return state_ == State::done; });
  }

 private:
  enum class State { pending, awaited, done };

  const Task body_;
  std::atomic<bool> claimed_ = false;
  std::atomic<State> state_ = State::pending;
};

class TaskScheduler {
 public:
  TaskScheduler(int workers, TaskSchedulerBug bug) : bug_(bug), queue_({}) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }

  TaskScheduler(const TaskScheduler&) = delete;
  TaskScheduler& operator=(const TaskScheduler&) = delete;

  ~TaskScheduler() {
    queue_.close();
    for (std::thread& worker : workers_) worker.join();
  }

  // Runs a task, and what it starts, on the workers; for threads outside of the scheduler.
  void run(Task body) {
    ScheduledTask& task = start(std::move(body));
    task.wait(bug_);
  }

  // For tasks.
  ScheduledTask& start(Task body) {
    ScheduledTask& task = own(std::move(body));
    queue_.enqueue([&task] { task.run_once(); });
    return task;
  }

  // For tasks; one waiter for each.
  void wait(ScheduledTask& task) {
    task.run_once();
    task.wait(bug_);
  }

 private:
  void work() {
    for (Task task; queue_.dequeue(task);) task();
  }

  ScheduledTask& own(Task body) {
    const std::lock_guard lock(mutex_);
    return tasks_.emplace_back(std::move(body));
  }

  const TaskSchedulerBug bug_;
  TaskQueue queue_;
  std::mutex mutex_;
  std::list<ScheduledTask> tasks_;
  std::vector<std::thread> workers_;
};

}  // namespace gambit
