// Properties of a cluster: functions over the values that its nodes report (<ricercar/log.h>), in a
// file of their own that the cluster file names.
//
//   #include <ricercar/properties.h>
//   using ricercar::State;
//
//   const auto one_leader = ricercar::always("one leader", [](const State& state) {
//     int leaders = 0;
//     for (const auto& node : state.nodes_with("leads")) leaders += state.boolean(node, "leads");
//     return leaders <= 1;
//   });
//
// They are asked after each report and whenever a node hands back control. A property that asks for
// a value which is not there is not judged at that moment. It must not keep anything in variables
// of its own: executions come one after the other.
#pragma once

#include <ricercar/detail/properties_abi.h>

#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ricercar {

// The cluster as it is when a property is asked. Copies are cheap, and mean nothing afterwards.
class State {
 public:
  explicit State(const ricercar_state& host, bool is_before = false)
      : host_(&host), is_before_(is_before) {}

  // --- Values ---

  bool has(const std::string& node, const std::string& name) const {
    return find(node, name) != nullptr;
  }
  // Integers of every kind, and bool as 0 and 1. A value of another kind throws.
  std::int64_t integer(const std::string& node, const std::string& name) const {
    const ricercar_value& value = get(node, name);
    if (value.kind == RICERCAR_INTEGER) return value.as.integer;
    if (value.kind == RICERCAR_UNSIGNED || value.kind == RICERCAR_BOOLEAN) {
      return static_cast<std::int64_t>(value.as.natural);
    }
    throw other_kind(node, name, "integer");
  }
  // Integers, too.
  double number(const std::string& node, const std::string& name) const {
    const ricercar_value& value = get(node, name);
    if (value.kind == RICERCAR_NUMBER) return value.as.number;
    return static_cast<double>(integer(node, name));
  }
  bool boolean(const std::string& node, const std::string& name) const {
    const ricercar_value& value = get(node, name);
    if (value.kind != RICERCAR_BOOLEAN) throw other_kind(node, name, "bool");
    return value.as.natural != 0;
  }
  std::string text(const std::string& node, const std::string& name) const {
    const ricercar_value& value = get(node, name);
    if (value.kind != RICERCAR_TEXT) throw other_kind(node, name, "text");
    return {value.as.text, value.size};
  }

  // A variable of the node's program with static storage, which need not report it: "counter",
  // "Server::clients", "queue.size". T: an integer, floating point or bool. It is what it was when
  // the node handed back control. Not judged while the node does not run.
  template <typename T = std::int64_t>
  T global(const std::string& node, const std::string& name) const {
    require(node);
    const char* error = nullptr;
    const ricercar_value* value = host_->global(host_->host, node.c_str(), name.c_str(), &error);
    if (error != nullptr) throw std::invalid_argument(error);
    if (value == nullptr || is_before_) throw NotThere{};
    if (value->kind == RICERCAR_NUMBER) return static_cast<T>(value->as.number);
    if (value->kind == RICERCAR_INTEGER) return static_cast<T>(value->as.integer);
    return static_cast<T>(value->as.natural);
  }

  // --- Nodes ---

  // Nodes and clients, in the order of the cluster file.
  std::vector<std::string> nodes() const {
    std::vector<std::string> all;
    for (std::uint32_t i = 0; i < host_->node_count(host_->host); ++i) {
      all.emplace_back(host_->node_name(host_->host, i));
    }
    return all;
  }
  std::vector<std::string> nodes_with(const std::string& name) const {
    std::vector<std::string> all;
    for (const std::string& node : nodes()) {
      if (has(node, name)) all.push_back(node);
    }
    return all;
  }

  // --- Messages: what was given to send, or arrived as a datagram. ---

  std::uint64_t sent() const { return host_->sent(host_->host, nullptr, nullptr); }
  std::uint64_t sent(const std::string& from, const std::string& to) const {
    return require(from), require(to), host_->sent(host_->host, from.c_str(), to.c_str());
  }
  // Those that have arrived. A duplicate counts twice.
  std::uint64_t delivered() const { return host_->delivered(host_->host, nullptr, nullptr); }
  std::uint64_t delivered(const std::string& from, const std::string& to) const {
    return require(from), require(to), host_->delivered(host_->host, from.c_str(), to.c_str());
  }

  // A value was asked for that is not there: the property is not judged now.
  struct NotThere {};

 private:
  void require(const std::string& node) const {
    for (std::uint32_t i = 0; i < host_->node_count(host_->host); ++i) {
      if (node == host_->node_name(host_->host, i)) return;
    }
    throw std::invalid_argument("the cluster has no node '" + node + "'");
  }
  const ricercar_value* find(const std::string& node, const std::string& name) const {
    const ricercar_value* value =
        host_->value(host_->host, node.c_str(), name.c_str(), is_before_ ? 1 : 0);
    if (value == nullptr) require(node);
    return value;
  }
  const ricercar_value& get(const std::string& node, const std::string& name) const {
    const ricercar_value* value = find(node, name);
    if (value == nullptr) throw NotThere{};
    return *value;
  }
  static std::invalid_argument other_kind(const std::string& node, const std::string& name,
                                          const char* wanted) {
    return std::invalid_argument("the value '" + name + "' of the node '" + node +
                                 "' was not reported as " + wanted);
  }

  const ricercar_state* host_;
  bool is_before_;
};

// What the functions below return: a name to hold on to, no more.
struct Property {};

namespace detail {

inline std::vector<ricercar_property>& all_properties() {
  static std::vector<ricercar_property> all;
  return all;
}

inline void copy_message(const std::string& from, char* to, std::uint32_t room) {
  const std::size_t size = from.size() < room ? from.size() : room - 1;
  to[from.copy(to, size)] = '\0';
}

// One state, or the one before it as well.
template <typename Predicate>
bool holds(const Predicate& predicate, const ricercar_state& state) {
  if constexpr (std::is_invocable_r_v<bool, Predicate, State, State>) {
    return predicate(State(state, true), State(state));
  } else {
    static_assert(std::is_invocable_r_v<bool, Predicate, State>,
                  "Ricercar: a property is a function of (const State& state), or of "
                  "(const State& before, const State& now), and returns bool");
    return predicate(State(state));
  }
}

template <typename Question>
std::uint32_t answer(const Question& question, char* message, std::uint32_t room) {
  try {
    return question() ? RICERCAR_TRUE : RICERCAR_FALSE;
  } catch (const State::NotThere&) {
    return RICERCAR_NOT_THERE;
  } catch (const std::exception& exception) {
    copy_message(exception.what(), message, room);
  } catch (...) {
    copy_message("something that is not a std::exception", message, room);
  }
  return RICERCAR_THREW;
}

template <typename... Predicates>
Property add_property(const char* name, std::uint32_t kind, Predicates... predicates) {
  using All = std::tuple<Predicates...>;
  const auto check = [](void* self, std::uint32_t which, const ricercar_state* state, char* message,
                        std::uint32_t room) {
    const auto question = [&] {
      std::uint32_t number = 0;
      bool result = false;
      std::apply(
          [&](const auto&... each) {
            ((number++ == which ? void(result = holds(each, *state)) : void()), ...);
          },
          *static_cast<const All*>(self));
      return result;
    };
    return answer(question, message, room);
  };
  // Properties live as long as the process.
  all_properties().push_back({name, kind, new All(std::move(predicates)...), check});
  return {};
}

}  // namespace detail

// It holds at every moment. The function may also take two states, (before, now): then it is about
// each change.
template <typename Predicate>
Property always(const char* name, Predicate predicate) {
  return detail::add_property(name, RICERCAR_ALWAYS, std::move(predicate));
}

// --- About whole executions ---
//
// What should come has to come before the execution ends by itself: when its clients have ended. An
// execution that is cut at a limit is not blamed for what might have come later.

// It holds at some moment.
template <typename Predicate>
Property eventually(const char* name, Predicate predicate) {
  return detail::add_property(name, RICERCAR_EVENTUALLY, std::move(predicate));
}

// `first` holds at every moment until `second` holds, and that does come.
template <typename First, typename Second>
Property until(const char* name, First first, Second second) {
  return detail::add_property(name, RICERCAR_UNTIL, std::move(first), std::move(second));
}

// Whenever `cause` holds, `effect` holds then or later.
template <typename Cause, typename Effect>
Property leads_to(const char* name, Cause cause, Effect effect) {
  return detail::add_property(name, RICERCAR_LEADS_TO, std::move(cause), std::move(effect));
}

}  // namespace ricercar

extern "C" __attribute__((used, visibility("default"))) inline const ricercar_property*
ricercar_properties(std::uint32_t version, std::uint32_t* count) {
  if (version != RICERCAR_PROPERTIES_VERSION) return nullptr;
  *count = static_cast<std::uint32_t>(ricercar::detail::all_properties().size());
  return ricercar::detail::all_properties().data();
}
