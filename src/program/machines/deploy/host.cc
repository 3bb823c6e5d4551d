#include "machines/deploy/host.h"

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "base/error.h"

namespace ricercar::deploy {
namespace {

using detail::Event;

std::uint64_t chosen_seed(std::uint64_t seed) {
  if (seed != 0) return seed;
  std::random_device device;
  return std::uint64_t{device()} << 32 | device();
}

std::size_t thread_count(const DeploymentOptions& options) {
  if (options.threads != 0) return options.threads;
  return std::max(1U, std::thread::hardware_concurrency());
}

[[noreturn]] void not_a_machine() {
  throw UsageError(
      "an event to a machine that does not exist: its MachineId was never set, or comes from "
      "another system");
}

}  // namespace

Host::Host(DeploymentOptions options)
    : options_(std::move(options)),
      seed_(chosen_seed(options_.seed)),
      most_machines_(MachineId::nobody),
      log_(options_.log_file, options_.node),
      timers_([this](Instance& machine, Event event) {
        machine.enqueue(std::move(event));
        end_work();
      }),
      pool_(thread_count(options_),
            std::max<std::size_t>(options_.most_threads, thread_count(options_))) {
  // From now on events are shared by threads.
  detail::counts_atomically = true;
  clock_.advance_beyond(log_.last_time());
}

Host::~Host() { stop(); }

// --- Before the start ---

void Host::add_monitor(detail::ObjectRef monitor) {
  if (started_) throw UsageError("a monitor has to be there before the deployment starts");
  monitors_.add(std::move(monitor));
}

void Host::record(const detail::Codec& codec) {
  if (started_) throw UsageError("record<E>() has to come before the deployment starts");
  log_.record(codec);
}

void Host::join(std::uint32_t node, Gateway& gateway) {
  if (started_ || machines_.size() != 0) {
    throw UsageError("a deployment joins a network before it has machines");
  }
  node_bits_ = node << machine_bits;
  most_machines_ = 1U << machine_bits;
  gateway_ = &gateway;
}

void Host::start() {
  std::uint32_t waiting = 0;
  {
    const std::lock_guard lock(creation_);
    if (std::exchange(started_, true)) throw UsageError("a deployment starts only once");
    waiting = machines_.size();
  }
  fail_all(monitors_.start());
  pool_.start();
  for (std::uint32_t i = 0; i < waiting; ++i) pool_.submit(machines_.find(i));
}

// --- Machines ---

MachineId Host::create(detail::ObjectRef object) {
  if (object->type->is_monitor) {
    throw UsageError(std::string(object->type->name) +
                     " is a monitor: add it with monitor(), not with create()");
  }
  const std::lock_guard lock(creation_);
  const std::uint32_t number = machines_.size();
  if (number == most_machines_) {
    throw UsageError("more machines than a node can have: " + std::to_string(number));
  }
  const MachineId id(node_bits_ | number);
  machines_.add(std::make_unique<Instance>(*this, id, std::move(object), mix64(seed_ + number)));
  begin_work();
  if (started_) pool_.submit(machines_.find(number));
  return id;
}

bool Host::is_here(MachineId machine) const {
  return gateway_ == nullptr || node_of(machine) == node_bits_ >> machine_bits;
}

Instance* Host::find(MachineId machine) const {
  if (!is_here(machine)) return nullptr;
  return machines_.find(machine.number() - node_bits_);
}

void Host::send(MachineId from, MachineId to, Event event) {
  if (!is_observed(*event->type)) return pass_on(from, to, std::move(event));
  std::vector<Failure> found;
  {
    // Monitors see events in the order in which they get into the queues.
    const std::lock_guard lock(observation_);
    found = observe(from, event, false);
    pass_on(from, to, std::move(event));
  }
  fail_all(std::move(found));
}

void Host::pass_on(MachineId from, MachineId to, Event event) {
  if (!to) not_a_machine();
  if (!is_here(to)) return gateway_->send(from, to, event, clock_.tick());
  Instance* const machine = find(to);
  if (machine == nullptr) not_a_machine();
  machine->enqueue(std::move(event));
}

void Host::deliver(MachineId to, Event event, std::uint64_t time) {
  clock_.advance_beyond(time);
  // A machine that is not there: the node has been started anew.
  if (Instance* const machine = find(to)) machine->enqueue(std::move(event));
}

void Host::announce(MachineId from, const Event& event) {
  std::vector<Failure> found;
  {
    const std::lock_guard lock(observation_);
    found = observe(from, event, true);
  }
  fail_all(std::move(found));
}

bool Host::is_observed(const detail::EventType& type) const {
  return monitors_.watches(type.number) || log_.records(type);
}

std::vector<Failure> Host::observe(MachineId from, const Event& event, bool is_announced) {
  log_.append(from, event, is_announced, clock_.tick());
  return monitors_.tell(event, is_announced);
}

void Host::crash(MachineId machine) {
  Instance* const instance = find(machine);
  if (instance == nullptr) not_a_machine();
  instance->crash();
  stop_timers(*instance);
}

void Host::restart(MachineId machine) {
  Instance* const instance = find(machine);
  if (instance == nullptr) not_a_machine();
  instance->restart();
}

// --- Timers ---

void Host::start_timer(Instance& machine, Event event, std::chrono::nanoseconds after) {
  // Counted before it can fire.
  begin_work();
  end_work(1 - timers_.start(machine, std::move(event), after));
}

void Host::stop_timer(Instance& machine, const detail::EventType& type) {
  end_work(-timers_.stop(machine, type.number));
}

void Host::stop_timers(Instance& machine) { end_work(-timers_.stop_all(machine)); }

// --- The end ---

void Host::end_work(int count) {
  if (count == 0 || work_.fetch_sub(count, std::memory_order_acq_rel) != count) return;
  const std::lock_guard lock(mutex_);
  quiet_.notify_all();
}

bool Host::wait_until_quiet(std::chrono::nanoseconds timeout) {
  std::unique_lock lock(mutex_);
  return quiet_.wait_for(lock, timeout, [this] { return work_ == 0 || stopping_; });
}

// No handler begins any more.
void Host::cease() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  quiet_.notify_all();
}

void Host::stop() {
  cease();
  // A worker cannot wait for its own end; the destructor does it.
  if (pool_.is_worker()) return;
  timers_.shut_down();
  for (std::uint32_t i = 0; i < machines_.size(); ++i) machines_.find(i)->interrupt();
  pool_.stop();
}

void Host::fail(Failure failure) {
  if (options_.on_failure) options_.on_failure(failure);
  {
    const std::lock_guard lock(mutex_);
    failures_.push_back(std::move(failure));
  }
  if (options_.stop_at_failure) cease();
}

void Host::fail_all(std::vector<Failure> failures) {
  for (Failure& failure : failures) fail(std::move(failure));
}

std::vector<Failure> Host::failures() const {
  const std::lock_guard lock(mutex_);
  return failures_;
}

std::vector<Failure> Host::finish(std::chrono::nanoseconds timeout) {
  const bool was_quiet = wait_until_quiet(timeout);
  // What is owed counts only if everything has come to its end.
  if (was_quiet && !is_stopping()) {
    for (std::uint32_t i = 0; i < machines_.size(); ++i) {
      const Instance& machine = *machines_.find(i);
      if (!machine.is_receiving()) continue;
      fail({"deadlock", machine.name() + " waits inside receive(), and nobody can go on",
            machine.name(), machine.id()});
    }
    fail_all(monitors_.owed());
  }
  stop();
  return failures();
}

}  // namespace ricercar::deploy
