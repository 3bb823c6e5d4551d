#include "thread_manager.h"

#include <algorithm>
#include <cassert>

#include "errors.h"

namespace hapset::pool {

class ThreadManager::Task {
 public:
  Task(std::unique_ptr<Runnable> runnable, std::optional<Duration> lifetime)
      : runnable_(std::move(runnable)) {
    if (lifetime) expires_ = Clock::now() + *lifetime;
  }

  bool has_expired() const { return expires_ && *expires_ < Clock::now(); }
  Runnable& runnable() const { return *runnable_; }
  std::unique_ptr<Runnable> release() { return std::move(runnable_); }

 private:
  std::unique_ptr<Runnable> runnable_;
  std::optional<TimePoint> expires_;
};

class ThreadManager::Worker : public Runnable {
 public:
  explicit Worker(ThreadManager& manager) : manager_(manager) {}

  void run() override {
    manager_.enlist();
    while (const std::unique_ptr<Task> task = manager_.next_task(thread())) run_task(*task);
    manager_.announce_worker_count();
  }

 private:
  // A task that fails is no reason for the worker to end.
  void run_task(Task& task) {
    try {
      if (task.has_expired()) {
        manager_.expire(task);
      } else {
        task.runnable().run();
      }
    } catch (const std::exception&) {
    }
  }

  ThreadManager& manager_;
};

ThreadManager::ThreadManager(const ThreadFactory& factory, PoolOptions options)
    : factory_(factory), options_(options), room_monitor_(monitor_) {}

ThreadManager::~ThreadManager() { stop(); }

void ThreadManager::start() {
  const Synchronized synchronized(monitor_);
  if (state_ != State::made) throw InvalidState("the pool was started before");
  state_ = State::started;
}

void ThreadManager::join() { shut_down(State::joining); }

void ThreadManager::stop() { shut_down(State::stopping); }

void ThreadManager::shut_down(State state) {
  std::size_t count = 0;
  {
    const Synchronized synchronized(monitor_);
    if (state_ == State::ended) return;
    state_ = state;
    count = worker_target_;
    room_monitor_.notify_all();
  }
  remove_workers(count);
  const Synchronized synchronized(monitor_);
  tasks_.clear();
  state_ = State::ended;
}

void ThreadManager::add_workers(std::size_t count) {
  std::vector<std::unique_ptr<Thread>> threads;
  for (std::size_t i = 0; i < count; ++i) {
    threads.push_back(factory_.make(std::make_unique<Worker>(*this)));
  }
  hire(std::move(threads));
  wait_for_workers();
}

void ThreadManager::hire(std::vector<std::unique_ptr<Thread>> threads) {
  const Synchronized synchronized(monitor_);
  if (state_ == State::ended) throw InvalidState("the pool has ended");
  worker_target_ += threads.size();
  for (std::unique_ptr<Thread>& thread : threads) {
    thread->start();
    workers_.push_back(std::move(thread));
  }
}

void ThreadManager::remove_workers(std::size_t count) {
  reduce_target(count);
  wait_for_workers();
  join_dead_workers();
}

void ThreadManager::reduce_target(std::size_t count) {
  const Synchronized synchronized(monitor_);
  if (count > worker_target_) throw InvalidState("there are not so many workers");
  worker_target_ -= count;
  monitor_.notify_all();
}

void ThreadManager::wait_for_workers() {
  const Synchronized synchronized(worker_monitor_);
  while (worker_count_ != worker_target_) worker_monitor_.wait();
}

// For a worker that has changed the number of workers. It does not hold monitor_ any more.
void ThreadManager::announce_worker_count() {
  if (worker_count_ != worker_target_) return;
  if (options_.bug == PoolBug::unlocked_notify) {
    worker_monitor_.notify_all();
    return;
  }
  const Synchronized synchronized(worker_monitor_);
  worker_monitor_.notify_all();
}

void ThreadManager::join_dead_workers() {
  std::vector<std::unique_ptr<Thread>> dead;
  {
    const Synchronized synchronized(monitor_);
    dead.swap(dead_workers_);
  }
  for (const std::unique_ptr<Thread>& thread : dead) thread->join();
}

void ThreadManager::add(std::unique_ptr<Runnable> runnable, std::optional<Duration> patience,
                        std::optional<Duration> lifetime) {
  auto task = std::make_unique<Task>(std::move(runnable), lifetime);
  const Synchronized synchronized(monitor_);
  if (state_ != State::started) throw InvalidState("the pool does not run");
  wait_for_room(patience);
  tasks_.push_back(std::move(task));
  if (idle_count_ > 0) monitor_.notify();
}

bool ThreadManager::has_room() const {
  return options_.pending_most == 0 || tasks_.size() < options_.pending_most;
}

void ThreadManager::wait_for_room(std::optional<Duration> patience) {
  if (has_room()) return;
  if (is_worker_thread()) throw TooManyPending("a worker cannot wait until workers have time");
  if (patience == Duration::zero()) throw TooManyPending("the queue is full");
  const TimePoint deadline = Clock::now() + patience.value_or(Duration::zero());
  while (!has_room()) {
    if (!patience) {
      room_monitor_.wait();
    } else if (!room_monitor_.wait_until(deadline) && !has_room()) {
      throw TimedOut("the queue stayed full");
    }
    if (state_ != State::started) throw InvalidState("the pool does not run any more");
  }
}

bool ThreadManager::is_worker_thread() const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [](const auto& thread) { return thread->is_current(); });
}

std::unique_ptr<Runnable> ThreadManager::remove_next() {
  const Synchronized synchronized(monitor_);
  if (tasks_.empty()) return nullptr;
  return take_front()->release();
}

void ThreadManager::set_expire_callback(ExpireCallback callback) {
  const Synchronized synchronized(monitor_);
  expire_callback_ = std::move(callback);
}

std::size_t ThreadManager::idle_count() {
  const Synchronized synchronized(monitor_);
  return idle_count_;
}

std::size_t ThreadManager::pending_count() {
  const Synchronized synchronized(monitor_);
  return tasks_.size();
}

std::size_t ThreadManager::expired_count() {
  const Synchronized synchronized(monitor_);
  return expired_count_;
}

void ThreadManager::enlist() {
  {
    const Synchronized synchronized(monitor_);
    ++worker_count_;
  }
  announce_worker_count();
}

// With more workers than there should be one has to leave: at once, or after the last task if the
// pool is being joined.
bool ThreadManager::may_go_on() const {
  return worker_count_ <= worker_target_ || (state_ == State::joining && !tasks_.empty());
}

// Null: the worker is not counted any more and has to end.
std::unique_ptr<ThreadManager::Task> ThreadManager::next_task(Thread* worker) {
  const Synchronized synchronized(monitor_);
  while (may_go_on() && tasks_.empty()) {
    ++idle_count_;
    monitor_.wait();
    --idle_count_;
  }
  if (may_go_on()) return take_front();
  --worker_count_;
  bury(worker);
  return nullptr;
}

std::unique_ptr<ThreadManager::Task> ThreadManager::take_front() {
  assert(!tasks_.empty());
  std::unique_ptr<Task> task = std::move(tasks_.front());
  tasks_.pop_front();
  room_monitor_.notify();
  return task;
}

void ThreadManager::bury(Thread* worker) {
  const auto found = std::find_if(workers_.begin(), workers_.end(),
                                  [&](const auto& thread) { return thread.get() == worker; });
  assert(found != workers_.end());
  dead_workers_.push_back(std::move(*found));
  workers_.erase(found);
}

void ThreadManager::expire(Task& task) {
  ExpireCallback callback;
  {
    const Synchronized synchronized(monitor_);
    ++expired_count_;
    callback = expire_callback_;
  }
  if (callback) callback(task.runnable());
}

}  // namespace hapset::pool
