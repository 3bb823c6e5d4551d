// The coordination runtime's queue of tasks, with an optional limit on its depth. Safe for any
// number of threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <utility>

#include "spin.h"

namespace gambit {

using Task = std::function<void()>;

enum class TaskQueueBug {
  none,
  // The depth is published after the lock is released. Between the two the workers may empty the
  // queue and publish 0, which the late value then overwrites: the queue looks full, nobody is left
  // to take anything out of it, and the next `enqueue` waits for ever.
  stale_depth,
};

struct TaskQueueOptions {
  std::size_t max_depth = 0;  // 0: no limit
  TaskQueueBug bug = TaskQueueBug::none;
};

class TaskQueue {
 public:
  explicit TaskQueue(TaskQueueOptions options) : options_(options) {}

  // Waits while the queue is full.
  void enqueue(Task task) {
    if (options_.max_depth > 0) spin_until([this] { return depth_ < options_.max_depth; });
    enqueue_unlimited(std::move(task));
  }

  // For those who empty the queue: they must not wait for themselves.
  void enqueue_unlimited(Task task) {
    std::unique_lock lock(mutex_);
    tasks_.push_back(std::move(task));
    const std::size_t depth = tasks_.size();
    if (options_.bug == TaskQueueBug::stale_depth) lock.unlock();
    publish(depth);
    if (lock) lock.unlock();
    available_.notify_one();
  }

  // Waits for a task. False: the queue is closed and empty.
  bool dequeue(Task& task) {
    std::unique_lock lock(mutex_);
    available_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return false;
    task = std::move(tasks_.front());
    tasks_.pop_front();
    publish(tasks_.size());
    return true;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    available_.notify_all();
  }

 private:
  void publish(std::size_t depth) {
    if (options_.max_depth > 0) depth_ = depth;
  }

  const TaskQueueOptions options_;
  std::mutex mutex_;
  std::condition_variable available_;
  std::deque<Task> tasks_;
  bool closed_ = false;
  std::atomic<std::size_t> depth_ = 0;  // the number of tasks, readable without the lock
};

}  // namespace gambit
