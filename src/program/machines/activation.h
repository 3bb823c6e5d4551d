// A handler while it runs under the checker. It runs to its end at once; what it does to others is
// collected as effects. A handler that waits in receive() is left by an exception and run again,
// with what it was told, when the event is there.
#pragma once

#include <string>
#include <vector>

#include "machines/world.h"

namespace ricercar::machines {

class CrashGuard;

// Leaves a handler. Not a std::exception: a program has no business with it.
struct Leave {};

// What is being caught, in words.
std::string text_of_exception();

// The message in the event of an Effect::fail.
std::string text_of_failure(const Event& event);

class Activation final : public detail::Context {
 public:
  Activation(World& world, std::uint32_t machine, Cell& cell, std::vector<Told> told,
             std::uint32_t skipped_effects, std::uint32_t most_effects = ~0U)
      : world_(world),
        machine_(machine),
        cell_(cell),
        told_(std::move(told)),
        skipped_(skipped_effects),
        most_(most_effects) {}

  // Starts the machine (no event) or handles an event. Afterwards take_effects() is what is to be
  // done; if it waits, `suspended()` says so and the variables are of no use.
  void run(const Event& event);

  bool suspended() const { return suspended_; }
  bool halted() const { return halted_; }
  std::uint32_t effect_count() const { return effects_; }
  // Those that have not happened yet; null: none.
  detail::Reference<EffectList> take_effects() {
    if (list_) list_->seal();
    return std::move(list_);
  }
  std::vector<Told>& told() { return told_; }
  std::vector<const detail::EventType*>& wanted() { return wanted_; }
  // Without those that it was told of.
  std::vector<World::HandlerRun::Choice>& choices() { return choices_; }
  // It would do the same again in any state where its machine is the same.
  bool can_be_known() const { return !creates_ && !failed_; }

  MachineId self() const override { return MachineId(machine_); }
  void send(MachineId to, Event event) override;
  MachineId create(ObjectRef machine) override;
  std::uint32_t choose(std::uint32_t n) override;
  Event receive(std::span<const detail::EventType* const> wanted) override;
  void raise(Event event) override { requests_.raise(std::move(event)); }
  void go_to(Action::Kind kind, const void* tag, std::string_view name) override {
    requests_.go_to(*cell_.type, kind, tag, name);
  }
  void halt() override { requests_.halt(); }
  void announce(Event event) override;
  void start_timer(Event event, std::chrono::nanoseconds after) override;
  void stop_timer(const detail::EventType& type) override;
  void crash(MachineId machine) override;
  void restart(MachineId machine) override;
  void hint(std::uint64_t what, std::uint64_t value) override;
  void seal(int change) override { seals_ += change; }
  [[noreturn]] void fail(const std::string& message) override;

 private:
  Effect& add(Effect::Kind kind, std::uint32_t target);
  void add_failure(OutcomeKind kind, const std::string& message);
  void report(const CrashGuard& guard, const Event& event);
  void call(const Event& event);
  std::string place(const Event& event) const;  // where a handler is, in words
  const Told* next_told() { return read_ < told_.size() ? &told_[read_++] : nullptr; }
  Told& tell() {
    ++read_;
    return told_.emplace_back();
  }
  bool is_sealed() const;
  std::uint32_t known(MachineId machine, const char* what) const;

  World& world_;
  const std::uint32_t machine_;
  Cell& cell_;
  std::vector<Told> told_;
  std::size_t read_ = 0;
  std::uint32_t skipped_;     // effects of an earlier run that have happened
  const std::uint32_t most_;  // stops in front of the next one
  std::uint32_t effects_ = 0;
  detail::Reference<EffectList> list_;
  Effect ignored_;
  Requests requests_;
  std::vector<const detail::EventType*> wanted_;
  int seals_ = 0;
  bool suspended_ = false;
  bool halted_ = false;
  bool failed_ = false;
  bool creates_ = false;
  std::vector<World::HandlerRun::Choice> choices_;
};

}  // namespace ricercar::machines
