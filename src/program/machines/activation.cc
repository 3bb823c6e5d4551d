#include "machines/activation.h"

#include <cxxabi.h>

#include <cstdlib>

#include "base/error.h"
#include "machines/crash_guard.h"
#include "model/dependence.h"

namespace ricercar::machines {
namespace {

// The text of a failure, on its way to its turn.
struct FailureText {
  std::string text;
};

std::string readable(const std::type_info& type) {
  int status = 0;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string result = status == 0 ? name : type.name();
  std::free(name);
  return result;
}

}  // namespace

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& error) {
    return "uncaught exception " + readable(typeid(error)) + ": " + error.what();
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    return "uncaught exception " + (type ? readable(*type) : "of unknown type");
  }
}

std::string text_of_failure(const Event& event) {
  return detail::payload_of<FailureText>(*event).text;
}

void Activation::run(const Event& event) {
  detail::Context* const before = detail::set_context(this);
  CrashGuard guard;
  if (RICERCAR_GUARDED(guard)) {
    call(event);
  } else {
    report(guard, event);
  }
  detail::set_context(before);
}

// Not a part of run(): there nothing may live in a register across the jump.
[[gnu::noinline]] void Activation::report(const CrashGuard& guard, const Event& event) {
  std::string message = guard.message();
  if (guard.kind() == OutcomeKind::hang) {
    message = place(event) + " does not come back: " + message;
  }
  add_failure(guard.kind(), message);
}

std::string Activation::place(const Event& event) const {
  std::string text = world_.name_of(machine_);
  if (event) text += " handling " + std::string(event->type->name);
  if (!cell_.stack.empty())
    text += " in " + std::string(cell_.type->states[cell_.stack.back()].name);
  return text;
}

[[gnu::noinline]] void Activation::call(const Event& event) {
  try {
    Dispatch dispatch(*cell_.type, cell_.object->variables, cell_.stack, requests_);
    const bool handled = event ? dispatch.handle(event) : dispatch.start();
    halted_ = dispatch.halted();
    if (!handled) {
      const std::string state(cell_.type->states[cell_.stack.back()].name);
      add_failure(OutcomeKind::unhandled_event, world_.name_of(machine_) + " does not handle " +
                                                    text_of(dispatch.unhandled()) +
                                                    " in its state " + state);
    }
  } catch (const Leave&) {
  } catch (const UsageError&) {
    detail::set_context(nullptr);
    throw;
  } catch (...) {
    add_failure(OutcomeKind::exception, text_of_exception());
  }
}

bool Activation::is_sealed() const {
  if (seals_ > 0 || cell_.type->sealed) return true;
  return !cell_.stack.empty() && cell_.type->states[cell_.stack.back()].sealed;
}

Effect& Activation::add(Effect::Kind kind, std::uint32_t target) {
  if (suspended_ || failed_ || effects_ == most_) throw Leave{};
  if (effects_++ < skipped_) return ignored_ = {};
  if (!list_) list_ = detail::Reference<EffectList>(new EffectList);
  Effect& effect = list_->all.emplace_back();
  effect.kind = kind;
  effect.target = target;
  effect.is_point = (kind == Effect::send || kind == Effect::create) && !is_sealed();
  return effect;
}

std::uint32_t Activation::known(MachineId machine, const char* what) const {
  if (machine.number() < world_.cells_.size()) return machine.number();
  throw UsageError(
      world_.name_of(machine_) + " " + what +
      (machine ? " a machine that does not exist" : " nobody: the MachineId was never set"));
}

void Activation::send(MachineId to, Event event) {
  add(Effect::send, known(to, "sends to")).event = std::move(event);
}

MachineId Activation::create(ObjectRef machine) {
  if (machine->type->is_monitor)
    throw UsageError("a monitor is not created by a machine: use System::monitor in the set-up");
  std::uint32_t number;
  if (const Told* told = next_told()) {
    number = told->number;
  } else {
    number = world_.reserve_slot();
    tell().number = number;
    creates_ = true;
    world_.note(OperationKind::initialise, machine_, objects::task_list, number);
  }
  Effect& effect = add(Effect::create, number);
  effect.object = std::move(machine);
  return MachineId(number);
}

std::uint32_t Activation::choose(std::uint32_t n) {
  if (suspended_ || failed_) throw Leave{};
  if (n == 0) throw UsageError("choose(0): there is nothing to choose from");
  if (const Told* told = next_told()) return told->number;
  const std::uint32_t chosen = world_.decide_value(machine_, n);
  if (world_.over_) {
    suspended_ = true;
    throw Leave{};
  }
  tell().number = chosen;
  choices_.push_back({n, chosen});
  return chosen;
}

Event Activation::receive(std::span<const detail::EventType* const> wanted) {
  if (suspended_ || failed_) throw Leave{};
  if (const Told* told = next_told()) return told->event;
  wanted_.assign(wanted.begin(), wanted.end());
  suspended_ = true;
  throw Leave{};
}

void Activation::announce(Event event) { add(Effect::announce, machine_).event = std::move(event); }

void Activation::start_timer(Event event, std::chrono::nanoseconds) {
  const std::uint32_t timer = world_.timer_slot(machine_, *event->type);
  Effect& effect = add(Effect::start_timer, timer);
  effect.what = event->type->number;
  effect.event = std::move(event);
}

void Activation::stop_timer(const detail::EventType& type) {
  add(Effect::stop_timer, world_.timer_slot(machine_, type)).what = type.number;
}

void Activation::crash(MachineId machine) { add(Effect::crash, known(machine, "crashes")); }
void Activation::restart(MachineId machine) { add(Effect::restart, known(machine, "restarts")); }

void Activation::hint(std::uint64_t what, std::uint64_t value) {
  Effect& effect = add(Effect::hint, machine_);
  effect.what = what;
  effect.value = value;
}

void Activation::add_failure(OutcomeKind kind, const std::string& message) {
  if (failed_ || effects_ == most_) return;
  effects_ = std::max(effects_, skipped_);
  suspended_ = false;
  Effect& effect = add(Effect::fail, machine_);
  effect.failure = kind;
  effect.event = detail::make_event(FailureText{message});
  failed_ = true;
}

void Activation::fail(const std::string& message) {
  add_failure(OutcomeKind::assertion, message);
  throw Leave{};
}

}  // namespace ricercar::machines
