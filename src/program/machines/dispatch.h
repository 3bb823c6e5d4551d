// What a machine does with an event: the rules of its states, for the checker and for deployment.
//
// An event is looked up from the top of the stack of states down; the first state that says
// something about it decides. Do, ignore and defer act in place; a transition that a lower state
// asks for first leaves the states above it. A handler may ask for a transition, for an event to be
// handled at once, or for the machine's end; that happens when it returns.
//
// Handlers find their Context by detail::context(); who calls run() sets it and forwards raise,
// go_to and halt to `requests`. Not thread-safe; one object for each running handler.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::machines {

using detail::Action;
using detail::Event;
using detail::MachineType;

std::string text_of(const Event& event);  // for people

// The states that a machine is in, the topmost one last.
class StateStack {
 public:
  static constexpr std::size_t deepest = 15;

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::uint16_t operator[](std::size_t level) const { return states_[level]; }
  std::uint16_t back() const { return states_[size_ - 1]; }
  void push_back(std::uint16_t state);  // throws UsageError if there are too many
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  bool operator==(const StateStack& other) const {
    return std::equal(begin(), end(), other.begin(), other.end());
  }
  const std::uint16_t* begin() const { return states_; }
  const std::uint16_t* end() const { return states_ + size_; }

 private:
  std::uint16_t size_ = 0;
  std::uint16_t states_[deepest] = {};
};

// What the handler that runs has asked for.
struct Requests {
  Event raised;
  Action::Kind change = Action::unhandled;  // go_to, push or pop
  std::uint16_t target = 0;
  bool halts = false;

  bool any() const { return halts || raised || change != Action::unhandled; }
  // Each throws UsageError if the handler has asked for something already.
  void raise(Event event);
  void go_to(const MachineType& type, Action::Kind kind, const void* tag, std::string_view name);
  void halt();
};

// What the topmost state that knows the event does with it; nullptr: none knows it.
struct FoundAction {
  const Action* action = nullptr;
  std::size_t level = 0;  // the index in the stack
};
FoundAction find_action(const MachineType& type, const StateStack& stack, std::uint32_t event);

inline bool is_deferred(const MachineType& type, const StateStack& stack, std::uint32_t event) {
  const Action* action = find_action(type, stack, event).action;
  return action != nullptr && action->kind == Action::defer;
}

class Dispatch {
 public:
  Dispatch(const MachineType& type, void* variables, StateStack& stack, Requests& requests)
      : type_(type), variables_(variables), stack_(stack), requests_(requests) {}

  // Enters the first state. Both also handle everything that the handlers raise. False: no state
  // handles `unhandled`.
  bool start();
  bool handle(const Event& event);

  bool halted() const { return halted_; }
  const Event& unhandled() const { return unhandled_; }

 private:
  void call(const detail::Handler& handler, const void* payload);
  void leave_top();
  void leave_above(std::size_t level);
  void enter(std::uint16_t state);
  bool handle_one(const Event& event, bool is_raised);
  void transition(const Action& action, std::size_t level, const void* payload);
  bool follow_requests();
  void change_state(const Requests& asked);

  const MachineType& type_;
  void* variables_;
  StateStack& stack_;
  Requests& requests_;
  bool halted_ = false;
  Event unhandled_;
};

}  // namespace ricercar::machines
