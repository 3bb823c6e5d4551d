// What the machines of a deployment share: the table of machines, the pool, timers, monitors, the
// log, the way to other nodes, and the count of what is still to be done.
//
// Thread-safe, except where it says "before the start".
#pragma once

#include <ricercar/deploy.h>
#include <ricercar/detail/gateway.h>

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "machines/deploy/event_log.h"
#include "machines/deploy/instance.h"
#include "machines/deploy/monitor_set.h"
#include "machines/deploy/timer_queue.h"
#include "machines/deploy/worker_pool.h"

namespace ricercar::deploy {

// A clock that respects causes: what could have caused something has an earlier time, on whatever
// node it happened (Lamport, 1978). It follows the wall clock where it can, so that the times of
// nodes that do not talk to each other can be compared nearly as well (hybrid logical clocks:
// Kulkarni et al., 2014). One number holds both: nanoseconds since 1970, pushed ahead by causes.
class CausalClock {
 public:
  // A time later than all before. Thread-safe.
  std::uint64_t tick() { return advance_beyond(0); }
  // The same, and later than a time that came with a message.
  std::uint64_t advance_beyond(std::uint64_t other) {
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint64_t wall = wall_time();
      const std::uint64_t seen = last > other ? last : other;
      const std::uint64_t next = wall > seen ? wall : seen + 1;
      if (last_.compare_exchange_weak(last, next, std::memory_order_acq_rel)) return next;
    }
  }

 private:
  static std::uint64_t wall_time() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }

  std::atomic<std::uint64_t> last_ = 0;
};

// The machines of a deployment by their numbers. Numbers are given in order and never again.
//
// find() takes no lock; add() is for one thread at a time. Machines stay where they are until the
// table goes.
class MachineTable {
 public:
  MachineTable() = default;
  ~MachineTable() {
    for (std::uint32_t i = 0; i < size(); ++i) delete find(i);
    for (auto& segment : segments_) delete[] segment.load();
  }
  MachineTable(const MachineTable&) = delete;
  MachineTable& operator=(const MachineTable&) = delete;

  std::uint32_t size() const { return size_.load(std::memory_order_acquire); }

  // Null if there is no such machine.
  Instance* find(std::uint32_t number) const {
    if (number >= size()) return nullptr;
    const auto [segment, place] = locate(number);
    return segments_[segment].load(std::memory_order_acquire)[place];
  }
  void add(std::unique_ptr<Instance> instance) {
    const std::uint32_t number = size();
    const auto [segment, place] = locate(number);
    if (place == 0) segments_[segment] = new Instance*[std::size_t{first_segment} << segment]();
    segments_[segment].load()[place] = instance.release();
    size_.store(number + 1, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t first_segment = 1024;  // each has twice the size of the one before

  static std::pair<std::size_t, std::size_t> locate(std::uint32_t number) {
    const std::uint64_t position = std::uint64_t{number} + first_segment;
    const auto width = static_cast<std::size_t>(std::bit_width(position));
    const std::size_t segment = width - static_cast<std::size_t>(std::bit_width(first_segment));
    return {segment, position - (std::uint64_t{first_segment} << segment)};
  }

  std::array<std::atomic<Instance**>, 23> segments_ = {};
  std::atomic<std::uint32_t> size_ = 0;
};

class Host {
 public:
  explicit Host(DeploymentOptions options);
  ~Host();
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  // Before the start.
  void add_monitor(detail::ObjectRef monitor);
  void record(const detail::Codec& codec);
  void join(std::uint32_t node, Gateway& gateway);
  void start();

  MachineId create(detail::ObjectRef object);
  void send(MachineId from, MachineId to, detail::Event event);
  void announce(MachineId from, const detail::Event& event);
  // From another node.
  void deliver(MachineId to, detail::Event event, std::uint64_t time);
  void crash(MachineId machine);
  void restart(MachineId machine);
  void start_timer(Instance& machine, detail::Event event, std::chrono::nanoseconds after);
  void stop_timer(Instance& machine, const detail::EventType& type);
  void stop_timers(Instance& machine);

  bool wait_until_quiet(std::chrono::nanoseconds timeout);
  void stop();
  std::vector<Failure> finish(std::chrono::nanoseconds timeout);
  void fail(Failure failure);
  std::vector<Failure> failures() const;
  bool is_stopping() const { return stopping_.load(std::memory_order_relaxed); }

  // Something has to be done that was not there before; it has been done.
  void begin_work(int count = 1) { work_.fetch_add(count, std::memory_order_acq_rel); }
  void end_work(int count = 1);
  void count_handled(std::uint64_t events) {
    handled_.fetch_add(events, std::memory_order_relaxed);
  }
  std::uint64_t handled() const { return handled_.load(std::memory_order_relaxed); }

  WorkerPool& pool() { return pool_; }
  CausalClock& clock() { return clock_; }

 private:
  Instance* find(MachineId machine) const;
  bool is_here(MachineId machine) const;
  bool is_observed(const detail::EventType& type) const;
  std::vector<Failure> observe(MachineId from, const detail::Event& event, bool is_announced);
  void pass_on(MachineId from, MachineId to, detail::Event event);
  void fail_all(std::vector<Failure> failures);
  void cease();

  const DeploymentOptions options_;
  const std::uint64_t seed_;
  std::uint32_t node_bits_ = 0;  // in front of the number of a machine
  std::uint32_t most_machines_;
  Gateway* gateway_ = nullptr;
  CausalClock clock_;
  EventLog log_;
  MonitorSet monitors_;
  std::mutex observation_;  // the order in which monitors and the log see what happens

  std::mutex creation_;
  MachineTable machines_;
  bool started_ = false;

  std::atomic<std::int64_t> work_ = 0;  // machines that are scheduled, and timers
  std::atomic<std::uint64_t> handled_ = 0;
  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  std::condition_variable quiet_;
  std::vector<Failure> failures_;

  TimerQueue timers_;
  WorkerPool pool_;  // the last one: its threads use everything above
};

}  // namespace ricercar::deploy
