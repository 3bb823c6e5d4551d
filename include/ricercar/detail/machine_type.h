// What the runtime knows of a machine class and of an event type: tables of functions, so that the
// runtime needs no templates. Built once, when a type is first used; read only afterwards.
#pragma once

#include <ricercar/detail/describe.h>
#include <ricercar/detail/pool.h>
#include <ricercar/detail/reference.h>

#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ricercar::detail {

// The functions of the library that are not templates are visible to programs.
#pragma GCC visibility push(default)

// --- Events ---

struct EventBox;

struct EventType {
  std::string_view name;       // "Prepare"
  std::string_view full_name;  // "two_phase::Prepare": the same in every process
  std::uint32_t number;        // from 0, in the order in which types are first used
  void (*hash)(const void* event, Hasher& hasher);
  void (*describe)(const void* event, std::string& text);
  void (*destroy)(const EventBox* box);
};

std::uint32_t next_event_number();  // thread-safe

struct EventBox : Counted, Pooled {
  explicit EventBox(const EventType& event_type) : type(&event_type) {}

  const EventType* type;
  bool is_exact = true;  // the hash (Hasher::is_exact)
  Hash hash;             // of the type and the payload
  const void* payload = nullptr;

  static void destroy(const EventBox* box) { box->type->destroy(box); }
};
using Event = Reference<const EventBox>;

template <typename T>
struct BoxOf : EventBox {
  template <typename U>
  BoxOf(const EventType& event_type, U&& from)
      : EventBox(event_type), value(std::forward<U>(from)) {
    payload = &value;
    Hasher hasher;
    hasher.add(event_type.number);
    hash_value(hasher, value);
    hash = hasher.result();
    is_exact = hasher.is_exact();
  }
  T value;
};

template <typename T>
const EventType& event_type() {
  static_assert(std::is_class_v<T>,
                "Ricercar: an event is a struct, such as `struct Ping { int round; };`");
  static_assert(alignof(T) <= 16, "Ricercar: an event must not be aligned to more than 16 bytes");
  static_assert(std::is_copy_constructible_v<T>,
                "Ricercar: an event must be copyable: a state that holds it is copied.");
  static const EventType type = {
      type_name<T>(),
      full_type_name<T>(),
      next_event_number(),
      [](const void* event, Hasher& hasher) { hash_value(hasher, *static_cast<const T*>(event)); },
      [](const void* event, std::string& text) { describe(text, *static_cast<const T*>(event)); },
      [](const EventBox* box) { delete static_cast<const BoxOf<T>*>(box); }};
  return type;
}

template <typename T>
Event make_event(T&& event) {
  using Plain = std::remove_cvref_t<T>;
  return Event(new BoxOf<Plain>(event_type<Plain>(), std::forward<T>(event)));
}

template <typename T>
const T& payload_of(const EventBox& box) {
  return *static_cast<const T*>(box.payload);
}

// --- The variables of a machine ---

struct MachineType;

struct Object : Counted, Pooled {
  Object(const MachineType& machine_type, void* machine_variables)
      : type(&machine_type), variables(machine_variables) {}

  const MachineType* type;
  void* variables;

  inline static void destroy(const Object* object);
};
using ObjectRef = Reference<Object>;

// --- Machine classes ---

// An address that stands for a state's type.
template <typename State>
inline constexpr char state_tag = 0;

using Handler = std::function<void(void* machine, const void* event)>;

struct Action {
  enum Kind : std::uint8_t { unhandled, perform, go_to, push, pop, defer, ignore } kind = unhandled;
  const void* target = nullptr;  // the tag of a state
  std::uint16_t state = 0;       // its number
  Handler handler;               // may be empty
};

struct StateInfo {
  const void* tag = nullptr;
  std::string_view name;
  Handler entry, exit;          // may be empty
  std::vector<Action> actions;  // by the number of the event type; what is beyond is unhandled
  bool hot = false;
  bool cold = false;
  bool sealed = false;

  const Action* action_for(std::uint32_t event) const {
    return event < actions.size() && actions[event].kind != Action::unhandled ? &actions[event]
                                                                              : nullptr;
  }
};

struct MachineType {
  std::string_view name;
  std::string_view full_name;
  std::uint32_t number = 0;  // from 0, in the order in which types are first used
  bool is_monitor = false;
  bool sealed = false;                 // every handler runs without a scheduling point
  std::vector<StateInfo> states;       // the first one is where a machine starts
  std::vector<std::uint32_t> watched;  // monitors: event types that they see when they are sent
  ObjectRef (*clone)(const Object& object) = nullptr;
  void (*destroy)(const Object* object) = nullptr;
  void (*hash)(const void* machine, Hasher& hasher) = nullptr;
  void (*describe)(const void* machine, std::string& text) = nullptr;
  void (*crash)(void* machine) = nullptr;  // forgets what does not survive a crash; may be null

  // Throws ricercar::UsageError if the machine has no such state.
  std::uint16_t state_number(const void* tag, std::string_view state_name) const;
};

std::uint32_t next_machine_type_number();
// Fills in the numbers of target states. Throws ricercar::UsageError with a sentence for the user.
void complete(MachineType& type);

void Object::destroy(const Object* object) { object->type->destroy(object); }

template <typename M>
const MachineType& machine_type();

template <typename M>
struct ObjectOf : Object {
  template <typename U>
  explicit ObjectOf(U&& from) : Object(machine_type<M>(), nullptr), value(std::forward<U>(from)) {
    variables = &value;
  }
  M value;
};

template <typename M>
ObjectRef make_object(M&& machine) {
  return ObjectRef(new ObjectOf<std::remove_cvref_t<M>>(std::forward<M>(machine)));
}

// --- What a handler may ask for ---

// Behind the member functions of Machine: the checker, the deployment and the set-up each have one.
class Context {
 public:
  virtual MachineId self() const = 0;
  virtual void send(MachineId to, Event event) = 0;
  virtual MachineId create(ObjectRef machine) = 0;
  virtual std::uint32_t choose(std::uint32_t n) = 0;
  virtual Event receive(std::span<const EventType* const> wanted) = 0;
  virtual void raise(Event event) = 0;
  virtual void go_to(Action::Kind kind, const void* tag, std::string_view state_name) = 0;
  virtual void halt() = 0;
  virtual void announce(Event event) = 0;
  virtual void start_timer(Event event, std::chrono::nanoseconds after) = 0;
  virtual void stop_timer(const EventType& type) = 0;
  virtual void crash(MachineId machine) = 0;
  virtual void restart(MachineId machine) = 0;
  virtual void hint(std::uint64_t what, std::uint64_t value) = 0;
  virtual void seal(int change) = 0;
  [[noreturn]] virtual void fail(const std::string& message) = 0;

 protected:
  ~Context() = default;
};

// The context of the handler that runs on this kernel thread. Fails if there is none.
Context& context();
Context* set_context(Context* context);  // returns the one before

#pragma GCC visibility pop

}  // namespace ricercar::detail
