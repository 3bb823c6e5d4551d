#include "machines/deploy/timer_queue.h"

#include <algorithm>

namespace ricercar::deploy {
namespace {

// Longer than any program runs, and short enough not to overflow a time.
constexpr auto longest = std::chrono::hours(24 * 365);

}  // namespace

int TimerQueue::start(Instance& target, detail::Event event, std::chrono::nanoseconds after) {
  const std::lock_guard lock(mutex_);
  if (shut_down_) return 0;
  const Owner owner = {&target, event->type->number};
  int change = 1;
  if (const auto before = owners_.find(owner); before != owners_.end()) change += remove(before);
  const auto delay = std::clamp<std::chrono::nanoseconds>(after, {}, longest);
  const Due due = {Clock::now() + delay, started_++};
  const bool is_next = timers_.empty() || due < timers_.begin()->first;
  timers_.emplace(due, Timer{owner, std::move(event)});
  owners_.emplace(owner, due);
  if (!thread_.joinable()) thread_ = std::thread([this] { wait_and_fire(); });
  if (is_next) changed_.notify_one();
  return change;
}

int TimerQueue::stop(Instance& target, std::uint32_t event_type) {
  const std::lock_guard lock(mutex_);
  const auto timer = owners_.find({&target, event_type});
  return timer == owners_.end() ? 0 : remove(timer);
}

int TimerQueue::stop_all(Instance& target) {
  const std::lock_guard lock(mutex_);
  int change = 0;
  for (;;) {
    const auto timer = owners_.lower_bound({&target, 0});
    if (timer == owners_.end() || timer->first.first != &target) return change;
    change += remove(timer);
  }
}

int TimerQueue::remove(std::map<Owner, Due>::iterator timer) {
  timers_.erase(timer->second);
  owners_.erase(timer);
  return -1;
}

void TimerQueue::wait_and_fire() {
  std::unique_lock lock(mutex_);
  while (!shut_down_) {
    if (timers_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = timers_.begin();
    if (const Clock::time_point due = first->first.first; due > Clock::now()) {
      changed_.wait_until(lock, due);
      continue;
    }
    Timer timer = std::move(first->second);
    timers_.erase(first);
    owners_.erase(timer.owner);
    fire_(*timer.owner.first, std::move(timer.event));
  }
}

void TimerQueue::shut_down() {
  {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace ricercar::deploy
