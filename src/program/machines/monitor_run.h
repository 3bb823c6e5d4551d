// A monitor while it handles an event: it may change its own state and nothing else.
#pragma once

#include <string>

#include "machines/dispatch.h"
#include "model/outcome.h"

namespace ricercar::machines {

class CrashGuard;

class MonitorRun final : public detail::Context {
 public:
  MonitorRun(const MachineType& type, void* variables, StateStack& stack)
      : type_(type), variables_(variables), stack_(stack) {}

  // Both return false if something is wrong; kind() and message() say what.
  bool start() { return run(nullptr); }
  bool handle(const Event& event) { return run(&event); }
  OutcomeKind kind() const { return kind_; }
  const std::string& message() const { return message_; }

  void raise(Event event) override { requests_.raise(std::move(event)); }
  void go_to(Action::Kind kind, const void* tag, std::string_view name) override {
    requests_.go_to(type_, kind, tag, name);
  }
  [[noreturn]] void fail(const std::string& message) override;

  MachineId self() const override { refuse(); }
  void send(MachineId, Event) override { refuse(); }
  MachineId create(detail::ObjectRef) override { refuse(); }
  std::uint32_t choose(std::uint32_t) override { refuse(); }
  Event receive(std::span<const detail::EventType* const>) override { refuse(); }
  void halt() override { refuse(); }
  void announce(Event) override { refuse(); }
  void start_timer(Event, std::chrono::nanoseconds) override { refuse(); }
  void stop_timer(const detail::EventType&) override { refuse(); }
  void crash(MachineId) override { refuse(); }
  void restart(MachineId) override { refuse(); }
  void hint(std::uint64_t, std::uint64_t) override { refuse(); }
  void seal(int) override { refuse(); }

 private:
  [[noreturn]] static void refuse();
  bool run(const Event* event);
  void call(const Event* event);
  void report(const CrashGuard& guard);

  const MachineType& type_;
  void* variables_;
  StateStack& stack_;
  Requests requests_;
  OutcomeKind kind_ = OutcomeKind::ok;
  std::string message_;
};

}  // namespace ricercar::machines
