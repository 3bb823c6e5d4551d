// Timers in real time. One thread, started with the first timer, sends their events.
//
// A machine has one timer for each type of event. All member functions are thread-safe; the target
// is not owned and must outlive its timers.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace ricercar::deploy {

class Instance;

class TimerQueue {
 public:
  // `fire` is called by the queue's thread, with the queue locked: a timer that has been stopped
  // never fires afterwards. It must not call the queue.
  using Fire = std::function<void(Instance& target, detail::Event event)>;

  explicit TimerQueue(Fire fire) : fire_(std::move(fire)) {}
  ~TimerQueue() { shut_down(); }
  TimerQueue(const TimerQueue&) = delete;
  TimerQueue& operator=(const TimerQueue&) = delete;

  // Each tells by how many the number of timers has grown or shrunk.
  int start(Instance& target, detail::Event event, std::chrono::nanoseconds after);
  int stop(Instance& target, std::uint32_t event_type);
  int stop_all(Instance& target);

  void shut_down();  // no timer fires afterwards

 private:
  using Clock = std::chrono::steady_clock;
  using Due =
      std::pair<Clock::time_point, std::uint64_t>;  // the number tells apart what is due at once
  using Owner = std::pair<Instance*, std::uint32_t>;

  struct Timer {
    Owner owner;
    detail::Event event;
  };

  void wait_and_fire();
  int remove(std::map<Owner, Due>::iterator timer);

  const Fire fire_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Due, Timer> timers_;
  std::map<Owner, Due> owners_;
  std::uint64_t started_ = 0;
  bool shut_down_ = false;
  std::thread thread_;
};

}  // namespace ricercar::deploy
