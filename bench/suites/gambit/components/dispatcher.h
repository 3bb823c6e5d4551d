// The coordination runtime's dispatcher: a few worker threads that run tasks from one queue. Tasks
// may post further tasks. What tasks refer to has to live until `shut_down`.
#pragma once

#include <thread>
#include <utility>
#include <vector>

#include "task_queue.h"

namespace gambit {

class Dispatcher {
 public:
  explicit Dispatcher(int workers, TaskQueueOptions options = {}) : queue_(options) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }

  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  ~Dispatcher() { shut_down(); }

  // For threads outside of the dispatcher: waits while the queue is full.
  void post(Task task) { queue_.enqueue(std::move(task)); }

  // For tasks.
  void post_follow_up(Task task) { queue_.enqueue_unlimited(std::move(task)); }

  // Runs what is left, and what that leads to; then ends the workers.
  void shut_down() {
    queue_.close();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

 private:
  void work() {
    for (Task task; queue_.dequeue(task);) task();
  }

  TaskQueue queue_;
  std::vector<std::thread> workers_;
};

}  // namespace gambit
