#include "machines/deploy/instance.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/error.h"
#include "machines/deploy/host.h"

namespace ricercar::deploy {
namespace {

using detail::Event;
using detail::EventType;

// A machine with many events lets others run after so many.
constexpr int longest_batch = 256;

// Thrown through a handler to leave it.
struct Failed {
  std::string message;
};
struct Interrupted {};  // by a crash, or because everything stops

}  // namespace

// What a handler may ask for, while it runs.
class Instance::Handling final : public detail::Context {
 public:
  explicit Handling(Instance& machine) : machine_(machine), before_(detail::set_context(this)) {}
  ~Handling() { detail::set_context(before_); }
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;

  machines::Requests& requests() { return requests_; }

  MachineId self() const override { return machine_.id_; }
  void send(MachineId to, Event event) override { host().send(self(), to, std::move(event)); }
  MachineId create(detail::ObjectRef machine) override { return host().create(std::move(machine)); }
  std::uint32_t choose(std::uint32_t n) override {
    if (n == 0) throw UsageError("choose(0): there is nothing to choose from");
    return machine_.random_.below(n);
  }
  Event receive(std::span<const EventType* const> wanted) override {
    return machine_.receive(wanted);
  }
  void raise(Event event) override { requests_.raise(std::move(event)); }
  void go_to(detail::Action::Kind kind, const void* tag, std::string_view state) override {
    requests_.go_to(machine_.type_, kind, tag, state);
  }
  void halt() override { requests_.halt(); }
  void announce(Event event) override { host().announce(self(), event); }
  void start_timer(Event event, std::chrono::nanoseconds after) override {
    host().start_timer(machine_, std::move(event), after);
  }
  void stop_timer(const EventType& type) override { host().stop_timer(machine_, type); }
  void crash(MachineId machine) override { host().crash(machine); }
  void restart(MachineId machine) override { host().restart(machine); }
  void hint(std::uint64_t, std::uint64_t) override {}
  void seal(int) override {}
  [[noreturn]] void fail(const std::string& message) override { throw Failed{message}; }

 private:
  // What a machine does to others ends with its crash, in the middle of a handler.
  Host& host() {
    if (machine_.crashes_) throw Interrupted{};
    return machine_.host_;
  }

  Instance& machine_;
  detail::Context* const before_;
  machines::Requests requests_;
};

Instance::Instance(Host& host, MachineId id, detail::ObjectRef object, std::uint64_t seed)
    : host_(host), id_(id), type_(*object->type), object_(std::move(object)), random_(seed) {
  if (type_.crash == nullptr) first_ = type_.clone(*object_);
}

std::string Instance::name() const {
  return std::string(type_.name) + "#" + std::to_string(id_.number());
}

void Instance::enqueue(Event event) {
  std::unique_lock lock(mutex_);
  if (!alive_) return;
  const bool wakes = phase_ == Phase::receiving && is_one_of(receiver_->wanted, event);
  arrived_.push_back(std::move(event));
  if (wakes) wake_receiver();
  if (phase_ == Phase::idle) schedule(std::move(lock));
}

// The next three: with the mutex held.
void Instance::schedule(std::unique_lock<std::mutex> lock) {
  phase_ = Phase::scheduled;
  lock.unlock();
  host_.begin_work();
  host_.pool().submit(this);
}

void Instance::wake_receiver() {
  phase_ = Phase::scheduled;
  host_.begin_work();
  receiver_->arrived.notify_one();
}

bool Instance::take_arrived() {
  if (arrived_.empty()) return false;
  queue_.append(arrived_);
  return true;
}

void Instance::crash() {
  std::unique_lock lock(mutex_);
  if (!alive_) return;
  alive_ = false;
  crashes_ = true;
  starts_ = false;
  arrived_.clear();
  if (phase_ == Phase::receiving) wake_receiver();
  if (phase_ == Phase::idle) schedule(std::move(lock));
}

void Instance::restart() {
  std::unique_lock lock(mutex_);
  if (halted_ || alive_) return;
  alive_ = true;
  starts_ = true;
  if (phase_ == Phase::idle) schedule(std::move(lock));
}

void Instance::interrupt() {
  const std::lock_guard lock(mutex_);
  if (phase_ == Phase::receiving) wake_receiver();
}

bool Instance::is_receiving() const {
  const std::lock_guard lock(mutex_);
  return phase_ == Phase::receiving;
}

void Instance::run() {
  bool falls = false;
  bool begins = false;
  {
    const std::lock_guard lock(mutex_);
    falls = crashes_.exchange(false);
    begins = std::exchange(starts_, false);
    if (falls) lose_queue();
    take_arrived();
  }
  if (host_.is_stopping()) return rest(false);
  if (falls && !fall()) return rest(false);
  if (begins && !start()) return rest(false);
  int handled = 0;
  Event event;
  while (handled < longest_batch && next_event(event)) {
    ++handled;
    if (!handle(event) || crashes_ || host_.is_stopping()) break;
  }
  host_.count_handled(static_cast<std::uint64_t>(handled));
  rest(handled == longest_batch);
}

// Goes back to sleep unless something has come meanwhile.
void Instance::rest(bool more) {
  {
    const std::lock_guard lock(mutex_);
    more = (more && !halted_) || !arrived_.empty() || crashes_ || starts_;
    if (!more || host_.is_stopping()) phase_ = Phase::idle;
    if (phase_ == Phase::idle) more = false;
  }
  if (more) {
    host_.pool().submit(this);
  } else {
    host_.end_work();
  }
}

// Runs a part of a handler and reports how it failed. False: the machine is over.
template <typename Action>
bool Instance::guarded(const Action& action) {
  std::string kind = "exception";
  std::string message;
  try {
    return action();
  } catch (const Interrupted&) {
    return true;
  } catch (Failed& failed) {
    kind = "assertion";
    message = std::move(failed.message);
  } catch (const UsageError& error) {
    kind = "usage";
    message = error.what();
  } catch (const std::exception& error) {
    message = error.what();
  } catch (...) {
    message = "an exception that is not a std::exception";
  }
  end();
  host_.fail({kind, message, name(), id_});
  return false;
}

bool Instance::start() {
  return guarded([this] {
    Handling handling(*this);
    machines::Dispatch dispatch(type_, object_->variables, stack_, handling.requests());
    dispatch.start();
    return after_handler(dispatch);
  });
}

bool Instance::handle(const Event& event) {
  const machines::StateStack before = stack_;
  const bool goes_on = guarded([&] {
    Handling handling(*this);
    machines::Dispatch dispatch(type_, object_->variables, stack_, handling.requests());
    dispatch.handle(event);
    return after_handler(dispatch);
  });
  if (goes_on && !std::ranges::equal(stack_, before)) queue_.prepend(deferred_);
  return goes_on;
}

bool Instance::after_handler(const machines::Dispatch& dispatch) {
  if (dispatch.halted()) return end(), false;
  if (!dispatch.unhandled()) return true;
  const std::string text = name() + " does not handle " + machines::text_of(dispatch.unhandled()) +
                           " in its state " + std::string(type_.states[stack_.back()].name);
  end();
  host_.fail({"unhandled-event", text, name(), id_});
  return false;
}

bool Instance::next_event(Event& event) {
  while (!queue_.empty()) {
    event = queue_.pop_front();
    if (!machines::is_deferred(type_, stack_, event->type->number)) return true;
    deferred_.push_back(std::move(event));
  }
  return false;
}

// Loses what a crash takes: everything but the variables that its member crash() leaves.
bool Instance::fall() {
  host_.stop_timers(*this);
  stack_.clear();
  if (!first_) return guarded([this] { return type_.crash(object_->variables), true; });
  object_ = type_.clone(*first_);
  return true;
}

void Instance::lose_queue() {
  queue_.give_memory_back();
  deferred_.give_memory_back();
}

void Instance::end() {
  {
    const std::lock_guard lock(mutex_);
    alive_ = false;
    halted_ = true;
    starts_ = false;
    crashes_ = false;
    arrived_ = {};
  }
  host_.stop_timers(*this);
  lose_queue();
}

// --- receive ---

Event Instance::receive(std::span<const EventType* const> wanted) {
  for (;;) {
    if (Event event = take_wanted(wanted)) return event;
    wait_for_wanted(wanted);
  }
}

Event Instance::take_wanted(std::span<const EventType* const> wanted) {
  if (Event event = deferred_.take(wanted)) return event;
  return queue_.take(wanted);
}

// Comes back when events have arrived.
void Instance::wait_for_wanted(std::span<const EventType* const> wanted) {
  Receiver receiver{wanted};
  {
    const std::lock_guard lock(mutex_);
    if (crashes_ || host_.is_stopping()) throw Interrupted{};
    if (take_arrived()) return;
    receiver_ = &receiver;
    phase_ = Phase::receiving;
  }
  const bool has_stand_in = host_.pool().give_slot_away();
  host_.end_work();
  std::unique_lock lock(mutex_);
  if (!has_stand_in && phase_ == Phase::receiving) wake_receiver();
  receiver.arrived.wait(lock, [this] { return phase_ != Phase::receiving; });
  receiver_ = nullptr;
  if (crashes_ || host_.is_stopping()) throw Interrupted{};
  if (!has_stand_in) {
    throw Failed{
        "more machines wait inside receive() than the deployment may have threads: "
        "raise DeploymentOptions::most_threads, or wait in a state instead"};
  }
  take_arrived();
}

}  // namespace ricercar::deploy
