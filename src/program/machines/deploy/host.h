// What the machines of a deployment share: the table of machines, the pool, timers, monitors, the
// log, the way to other nodes, and the count of what is still to be done.
//
// Thread-safe, except where it says "before the start".
#pragma once

#include <ricercar/deploy.h>
#include <ricercar/detail/gateway.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "machines/deploy/causal_clock.h"
#include "machines/deploy/event_log.h"
#include "machines/deploy/machine_table.h"
#include "machines/deploy/monitor_set.h"
#include "machines/deploy/timer_queue.h"
#include "machines/deploy/worker_pool.h"

namespace ricercar::deploy {

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
