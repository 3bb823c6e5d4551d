#include "timer_manager.h"

#include <algorithm>

#include "errors.h"

namespace hapset::pool {

class TimerManager::Dispatcher : public Runnable {
 public:
  explicit Dispatcher(TimerManager& manager) : manager_(manager) {}

  void run() override {
    manager_.enter();
    for (;;) {
      const std::vector<Timer> due = manager_.wait_for_due();
      if (due.empty()) break;
      for (const Timer& timer : due) run_timer(timer);
    }
    manager_.leave();
  }

 private:
  // A timer that fails is no reason for the others not to run.
  static void run_timer(const Timer& timer) {
    try {
      timer.runnable->run();
    } catch (const std::exception&) {
    }
  }

  TimerManager& manager_;
};

TimerManager::TimerManager(const ThreadFactory& factory) : factory_(factory) {}

TimerManager::~TimerManager() { stop(); }

void TimerManager::start() {
  const Synchronized synchronized(monitor_);
  if (state_ != State::made) throw InvalidState("the timers were started before");
  state_ = State::starting;
  thread_ = factory_.make(std::make_unique<Dispatcher>(*this));
  thread_->start();
  while (state_ == State::starting) monitor_.wait();
}

void TimerManager::stop() {
  {
    const Synchronized synchronized(monitor_);
    if (state_ == State::made || state_ == State::stopped) return;
    state_ = State::stopping;
    monitor_.notify_all();
    while (state_ != State::stopped) monitor_.wait();
    timers_.clear();
  }
  thread_->join();
}

TimerManager::TimerId TimerManager::add(std::unique_ptr<Runnable> runnable, Duration delay) {
  const TimePoint time = Clock::now() + delay;
  const Synchronized synchronized(monitor_);
  if (state_ != State::started) throw InvalidState("the timers do not run");
  // The dispatcher waits for the earliest; it has to hear of an earlier one.
  if (is_earliest(time)) monitor_.notify_all();
  timers_.emplace(time, Timer{++last_id_, std::move(runnable)});
  return last_id_;
}

bool TimerManager::is_earliest(TimePoint time) const {
  return timers_.empty() || time < timers_.begin()->first;
}

bool TimerManager::remove(TimerId id) {
  const Synchronized synchronized(monitor_);
  const auto found = std::find_if(timers_.begin(), timers_.end(),
                                  [id](const auto& entry) { return entry.second.id == id; });
  if (found == timers_.end()) return false;
  timers_.erase(found);
  return true;
}

std::size_t TimerManager::pending_count() {
  const Synchronized synchronized(monitor_);
  return timers_.size();
}

void TimerManager::enter() {
  const Synchronized synchronized(monitor_);
  if (state_ == State::starting) state_ = State::started;
  monitor_.notify_all();
}

void TimerManager::leave() {
  const Synchronized synchronized(monitor_);
  state_ = State::stopped;
  monitor_.notify_all();
}

// Empty: the manager is being stopped.
std::vector<TimerManager::Timer> TimerManager::wait_for_due() {
  const Synchronized synchronized(monitor_);
  while (state_ == State::started) {
    std::vector<Timer> due = take_due();
    if (!due.empty()) return due;
    if (timers_.empty()) {
      monitor_.wait();
    } else {
      monitor_.wait_until(timers_.begin()->first);
    }
  }
  return {};
}

std::vector<TimerManager::Timer> TimerManager::take_due() {
  const auto end = timers_.upper_bound(Clock::now());
  std::vector<Timer> due;
  for (auto timer = timers_.begin(); timer != end; ++timer) due.push_back(std::move(timer->second));
  timers_.erase(timers_.begin(), end);
  return due;
}

}  // namespace hapset::pool
