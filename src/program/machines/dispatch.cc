#include "machines/dispatch.h"

#include "base/error.h"

namespace ricercar::machines {
namespace {

// Entry actions that go to another state, or raise, again and again.
constexpr int longest_chain = 100000;

[[noreturn]] void asked_twice() {
  throw UsageError(
      "a handler asks for two of go_to, push, pop, raise and halt; each takes effect when the "
      "handler returns, so only one is possible");
}

}  // namespace

std::string text_of(const Event& event) {
  std::string text;
  event->type->describe(event->payload, text);
  return text;
}

void StateStack::push_back(std::uint16_t state) {
  if (size_ == deepest) {
    throw UsageError("more than 15 states are on top of each other: push without pop");
  }
  states_[size_++] = state;
}

void Requests::raise(Event event) {
  if (any()) asked_twice();
  raised = std::move(event);
}

void Requests::go_to(const MachineType& type, Action::Kind kind, const void* tag,
                     std::string_view name) {
  if (any()) asked_twice();
  change = kind;
  target = tag == nullptr ? 0 : type.state_number(tag, name);
}

void Requests::halt() {
  if (any()) asked_twice();
  halts = true;
}

FoundAction find_action(const MachineType& type, const StateStack& stack, std::uint32_t event) {
  for (std::size_t level = stack.size(); level-- > 0;) {
    if (const Action* action = type.states[stack[level]].action_for(event)) return {action, level};
  }
  return {};
}

void Dispatch::call(const detail::Handler& handler, const void* payload) {
  if (handler) handler(variables_, payload);
}

void Dispatch::leave_top() {
  call(type_.states[stack_.back()].exit, nullptr);
  if (requests_.any()) {
    throw UsageError("an exit action cannot ask for go_to, push, pop, raise or halt");
  }
  stack_.pop_back();
}

// Leaves the states above a level of the stack.
void Dispatch::leave_above(std::size_t level) {
  while (stack_.size() > level + 1) leave_top();
}

void Dispatch::enter(std::uint16_t state) {
  stack_.push_back(state);
  call(type_.states[state].entry, nullptr);
}

bool Dispatch::start() {
  enter(0);
  return follow_requests();
}

bool Dispatch::handle(const Event& event) { return handle_one(event, false) && follow_requests(); }

bool Dispatch::handle_one(const Event& event, bool is_raised) {
  const FoundAction found = find_action(type_, stack_, event->type->number);
  // A raised event cannot wait.
  if (found.action == nullptr || (is_raised && found.action->kind == Action::defer)) {
    unhandled_ = event;
    return false;
  }
  switch (found.action->kind) {
    case Action::perform:
      call(found.action->handler, event->payload);
      break;
    case Action::go_to:
    case Action::push:
    case Action::pop:
      transition(*found.action, found.level, event->payload);
      break;
    default:
      break;
  }
  return true;
}

void Dispatch::transition(const Action& action, std::size_t level, const void* payload) {
  leave_above(level);
  if (action.kind == Action::push) return enter(action.state);
  if (level == 0 && action.kind == Action::pop) {
    throw UsageError("pop in the first state: there is nothing to go back to");
  }
  leave_top();
  if (action.kind == Action::pop) return;
  call(action.handler, payload);
  if (requests_.halts) return;
  enter(action.state);
}

void Dispatch::change_state(const Requests& asked) {
  Action action;
  action.kind = asked.change;
  action.state = asked.target;
  transition(action, stack_.size() - 1, nullptr);
}

bool Dispatch::follow_requests() {
  for (int i = 0; i < longest_chain; ++i) {
    const Requests asked = std::exchange(requests_, {});
    if (asked.halts) {
      halted_ = true;
      return true;
    }
    if (asked.change != Action::unhandled) {
      change_state(asked);
    } else if (asked.raised) {
      if (!handle_one(asked.raised, true)) return false;
    } else {
      return true;
    }
  }
  throw UsageError("a machine changes its state or raises events forever in one handler");
}

}  // namespace ricercar::machines
