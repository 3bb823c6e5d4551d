// Machines: a protocol written once, checked under control, and deployed.
//
//   struct Ping { ricercar::MachineId from; };
//   struct Pong {};
//
//   struct Server : ricercar::Machine {
//     struct Serving;
//     static void define(ricercar::Definition<Server>& machine) {
//       machine.state<Serving>().on(&Server::answer);
//     }
//     void answer(const Ping& ping) { send(ping.from, Pong{}); }
//   };
//
// A machine is a plain struct: its fields are its variables, its member functions handle events.
// `define` names its states and what each does with which event. Events are plain structs too. A
// machine shares nothing with others; it has a queue of events, first in, first out, and handles
// one event at a time. The semantics are those of P (Desai et al., PLDI 2013); the guide has the
// whole of it: docs/guide/machines.md.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <chrono>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace ricercar {

// No more scheduling points until it goes out of scope: the sends of a group happen as one.
class Sealed {
 public:
  Sealed() { detail::context().seal(1); }
  ~Sealed() { detail::context().seal(-1); }
  Sealed(const Sealed&) = delete;
  Sealed& operator=(const Sealed&) = delete;
};

namespace detail {

// What machines and monitors have in common.
struct Actor {
 protected:
  // Ends the execution with the bug `assertion` (in a monitor: `property`) unless it holds.
  static void require(bool condition, std::string_view message = "requirement failed") {
    if (!condition) [[unlikely]] {
      context().fail(std::string(message));
    }
  }
  // Leaves the state for another one when the handler is over.
  template <typename State>
  static void go_to() {
    context().go_to(Action::go_to, &state_tag<State>, constant_type_name<State>);
  }
  // Handles another event right after this handler, before anything in the queue.
  template <typename E>
  static void raise(E&& event) {
    context().raise(make_event(std::forward<E>(event)));
  }
};

}  // namespace detail

struct Machine : detail::Actor {
 protected:
  static MachineId self() { return detail::context().self(); }

  // Puts an event at the end of a machine's queue. What is sent to a machine that has halted is
  // lost.
  template <typename E>
  static void send(MachineId to, E&& event) {
    detail::context().send(to, detail::make_event(std::forward<E>(event)));
  }
  // Makes a machine with these variables; it begins in its first state.
  template <typename M>
  static MachineId create(M&& machine) {
    return detail::context().create(detail::make_object(std::forward<M>(machine)));
  }
  // Ends this machine when the handler is over.
  static void halt() { detail::context().halt(); }

  // Goes into a state on top of the current one, and back.
  template <typename State>
  static void push() {
    detail::context().go_to(detail::Action::push, &detail::state_tag<State>,
                            detail::constant_type_name<State>);
  }
  static void pop() { detail::context().go_to(detail::Action::pop, nullptr, {}); }

  // Waits, in the middle of a handler, for the first event of one of these types; the others stay
  // in the queue. One type: the event itself; several: a std::variant of them.
  template <typename E, typename... Others>
  static auto receive() {
    const detail::EventType* const wanted[] = {&detail::event_type<E>(),
                                               &detail::event_type<Others>()...};
    const detail::Event event = detail::context().receive(wanted);
    if constexpr (sizeof...(Others) == 0) {
      return detail::payload_of<E>(*event);
    } else {
      return as_variant<std::variant<E, Others...>>(*event);
    }
  }

  // Decided by the search; random when deployed.
  static bool choose() { return detail::context().choose(2) != 0; }
  static std::uint32_t choose(std::uint32_t n) { return detail::context().choose(n); }  // 0 .. n-1
  template <typename Integer>
  static Integer choose_between(Integer lowest, Integer highest) {
    return static_cast<Integer>(
        lowest + static_cast<Integer>(choose(static_cast<std::uint32_t>(highest - lowest) + 1)));
  }

  // Sends this machine an event after some time; under the checker at any time. A machine has one
  // timer for each type of event: starting it again replaces it.
  template <typename E>
  static void start_timer(E&& event,
                          std::chrono::nanoseconds after = std::chrono::milliseconds(100)) {
    detail::context().start_timer(detail::make_event(std::forward<E>(event)), after);
  }
  // An event that the timer has sent already stays in the queue.
  template <typename E>
  static void stop_timer() {
    detail::context().stop_timer(detail::event_type<E>());
  }

  // Tells the monitors.
  template <typename E>
  static void announce(E&& event) {
    detail::context().announce(detail::make_event(std::forward<E>(event)));
  }

  // Faults, for machines that model the environment. A crashed machine loses its queue and handles
  // nothing; a restarted one begins again in its first state, with the variables that its member
  // `void crash()` has left (without one: with those that it was created with).
  static void crash(MachineId machine) { detail::context().crash(machine); }
  static void restart(MachineId machine) { detail::context().restart(machine); }

  // Tells the explorer of the search something (DelayingExplorer::step, ExplorerStep::hint).
  static void explorer_hint(std::uint64_t what, std::uint64_t value = 0) {
    detail::context().hint(what, value);
  }

 private:
  template <typename Variant, std::size_t index = 0>
  static Variant as_variant(const detail::EventBox& event) {
    if constexpr (index + 1 == std::variant_size_v<Variant>) {
      return detail::payload_of<std::variant_alternative_t<index, Variant>>(event);
    } else {
      using E = std::variant_alternative_t<index, Variant>;
      if (event.type == &detail::event_type<E>()) return detail::payload_of<E>(event);
      return as_variant<Variant, index + 1>(event);
    }
  }
};

// An observer: a machine without a queue that sees announced events, and sent ones that it watches,
// at once and in the order in which they happen. `require` in it is a safety property. A state that
// is `hot()` must not be the last one, and an execution must not stay in it for ever.
struct Monitor : detail::Actor {};

namespace detail {

template <typename T>
struct HandlerTraits;
template <typename M, typename E>
struct HandlerTraits<void (M::*)(const E&)> {
  using Event = E;
};
template <typename M, typename E>
struct HandlerTraits<void (M::*)(E)> {
  using Event = E;
};

template <typename M>
Handler bind(void (M::*member)()) {
  return [member](void* machine, const void*) { (static_cast<M*>(machine)->*member)(); };
}
template <typename M, typename E>
Handler bind(void (M::*member)(const E&)) {
  return [member](void* machine, const void* event) {
    (static_cast<M*>(machine)->*member)(*static_cast<const E*>(event));
  };
}
template <typename M, typename E>
Handler bind(void (M::*member)(E)) {
  return [member](void* machine, const void* event) {
    (static_cast<M*>(machine)->*member)(*static_cast<const E*>(event));
  };
}

}  // namespace detail

// One state of a machine, while it is being defined.
template <typename M>
class StateDefinition {
 public:
  StateDefinition(detail::MachineType& type, std::size_t state) : type_(&type), state_(state) {}

  StateDefinition& entry(void (M::*action)()) { return info().entry = detail::bind(action), *this; }
  StateDefinition& exit(void (M::*action)()) { return info().exit = detail::bind(action), *this; }

  // Calls the handler for events of the type of its parameter.
  template <typename HandlerType>
  StateDefinition& on(HandlerType handler) {
    using E = typename detail::HandlerTraits<HandlerType>::Event;
    return set<E>(detail::Action::perform, nullptr, detail::bind(handler));
  }
  // The same with a handler that does not look at the event.
  template <typename E>
  StateDefinition& on(void (M::*handler)()) {
    return set<E>(detail::Action::perform, nullptr, detail::bind(handler));
  }
  template <typename E, typename Target>
  StateDefinition& go_to() {
    return set<E>(detail::Action::go_to, &detail::state_tag<Target>, {});
  }
  // The action runs between the exit of this state and the entry of the other one.
  template <typename E, typename Target, typename HandlerType>
  StateDefinition& go_to(HandlerType action) {
    return set<E>(detail::Action::go_to, &detail::state_tag<Target>, detail::bind(action));
  }
  template <typename E, typename Target>
  StateDefinition& push() {
    return set<E>(detail::Action::push, &detail::state_tag<Target>, {});
  }
  template <typename E>
  StateDefinition& pop() {
    return set<E>(detail::Action::pop, nullptr, {});
  }
  // Leaves events of these types in the queue, for a later state.
  template <typename... E>
  StateDefinition& defer() {
    return (set<E>(detail::Action::defer, nullptr, {}), ...), *this;
  }
  template <typename... E>
  StateDefinition& ignore() {
    return (set<E>(detail::Action::ignore, nullptr, {}), ...), *this;
  }
  // Its handlers run without a scheduling point.
  StateDefinition& sealed() { return info().sealed = true, *this; }
  // Monitors: something is still owed here.
  StateDefinition& hot() { return info().hot = true, *this; }
  StateDefinition& cold() { return info().cold = true, *this; }

 private:
  detail::StateInfo& info() { return type_->states[state_]; }

  template <typename E>
  StateDefinition& set(detail::Action::Kind kind, const void* target, detail::Handler handler) {
    const std::uint32_t event = detail::event_type<E>().number;
    std::vector<detail::Action>& actions = info().actions;
    if (actions.size() <= event) actions.resize(event + 1);
    actions[event] = {kind, target, 0, std::move(handler)};
    return *this;
  }

  detail::MachineType* type_;
  std::size_t state_;
};

// What a machine's `static void define(Definition<M>& machine)` fills in.
template <typename M>
class Definition {
 public:
  explicit Definition(detail::MachineType& type) : type_(type) {}

  // The first one is the state in which a machine starts.
  template <typename State>
  StateDefinition<M> state() {
    for (std::size_t i = 0; i < type_.states.size(); ++i) {
      if (type_.states[i].tag == &detail::state_tag<State>) return {type_, i};
    }
    type_.states.emplace_back();
    type_.states.back().tag = &detail::state_tag<State>;
    type_.states.back().name = detail::type_name<State>();
    return {type_, type_.states.size() - 1};
  }
  // All handlers of the machine run without a scheduling point.
  void sealed() { type_.sealed = true; }
  // Monitors: events of these types are seen when a machine sends them, too.
  template <typename... E>
  void watch() {
    static_assert(std::is_base_of_v<Monitor, M>, "Ricercar: only a monitor watches events");
    (type_.watched.push_back(detail::event_type<E>().number), ...);
  }

 private:
  detail::MachineType& type_;
};

namespace detail {

template <typename M>
concept HasDefinition = requires(Definition<M>& definition) {
  M::define(definition);
};
template <typename M>
concept SurvivesCrash = requires(M& machine) {
  machine.crash();
};

template <typename M>
MachineType build_machine_type() {
  static_assert(
      std::is_base_of_v<Machine, M> || std::is_base_of_v<Monitor, M>,
      "Ricercar: a machine is derived from ricercar::Machine, a monitor from ricercar::Monitor");
  static_assert(std::is_copy_constructible_v<M>,
                "Ricercar: a machine must be copyable: a state that holds it is copied. Keep "
                "values, not unique_ptr or threads.");
  static_assert(HashesItself<M> || std::is_aggregate_v<M>,
                "Ricercar: a machine is a plain struct (public variables, no constructors, no "
                "virtual functions), "
                "or has a member `void hash(ricercar::Hasher&) const`.");
  static_assert(HasDefinition<M>,
                "Ricercar: a machine names its states in `static void "
                "define(ricercar::Definition<M>& machine)`.");
  MachineType type;
  type.name = type_name<M>();
  type.full_name = full_type_name<M>();
  type.number = next_machine_type_number();
  type.is_monitor = std::is_base_of_v<Monitor, M>;
  type.clone = [](const Object& object) {
    return make_object(*static_cast<const M*>(object.variables));
  };
  type.destroy = [](const Object* object) { delete static_cast<const ObjectOf<M>*>(object); };
  type.hash = [](const void* machine, Hasher& hasher) {
    hash_value(hasher, *static_cast<const M*>(machine));
  };
  type.describe = [](const void* machine, std::string& text) {
    describe_fields(text, *static_cast<const M*>(machine));
  };
  if constexpr (SurvivesCrash<M>)
    type.crash = [](void* machine) { static_cast<M*>(machine)->crash(); };
  return type;
}

template <typename M>
const MachineType& machine_type() {
  static const MachineType type = [] {
    MachineType built = build_machine_type<M>();
    Definition<M> definition(built);
    M::define(definition);
    complete(built);
    return built;
  }();
  return type;
}

}  // namespace detail

// A set of machines and monitors, while it is being put together.
class System {
 public:
  template <typename M>
  MachineId create(M&& machine) {
    return create_object(detail::make_object(std::forward<M>(machine)));
  }
  template <typename E>
  void send(MachineId to, E&& event) {
    send_event(to, detail::make_event(std::forward<E>(event)));
  }
  template <typename M>
  void monitor(M&& monitor) {
    add_monitor(detail::make_object(std::forward<M>(monitor)));
  }
  template <typename M>
  void monitor() {
    add_monitor(detail::make_object(M{}));
  }
  // Machines that are interchangeable: states that differ only in their names count as one.
  template <typename... Id>
  void symmetric(Id... machines) {
    make_symmetric({machines...});
  }
  void symmetric(const std::vector<MachineId>& machines) { make_symmetric(machines); }

 protected:
  ~System() = default;
  virtual MachineId create_object(detail::ObjectRef machine) = 0;
  virtual void send_event(MachineId to, detail::Event event) = 0;
  virtual void add_monitor(detail::ObjectRef monitor) = 0;
  virtual void make_symmetric(const std::vector<MachineId>& machines) = 0;
};

using SetUp = std::function<void(System&)>;

// The main function of a program of machines. Started by `ricercar run` it is searched; started by
// hand it runs on threads until nothing is left to do. Returns the exit status.
[[gnu::visibility("default")]] int run_machines(int argument_count, char** arguments,
                                                const SetUp& set_up);

}  // namespace ricercar

#include <ricercar/detail/check_machines.h>
