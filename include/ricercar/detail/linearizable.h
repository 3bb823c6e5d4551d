// Whether a history of operations is linearizable. The search is that of Wing and Gong (Testing and
// Verifying Concurrent Objects, 1993): take any operation that no other one had come back before,
// do it in the model, go on. As in Lowe's (Testing for Linearizability, 2017), operations done and
// state of the model that were met before are not tried again. Departures: states are compared, not
// hashed, so that a model needs no hash; an operation without an answer is done or left out.
#pragma once

#include <ricercar/history.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ricercar::detail {

// More states than that are not looked at.
inline constexpr std::uint64_t most_states = 2'000'000;

struct TooManyStates : std::runtime_error {
  TooManyStates()
      : std::runtime_error("the history has too many possible orders: let clients do less") {}
};

template <typename Model>
class Linearizer {
 public:
  Linearizer(const History& history, const Model& model, std::uint64_t limit = most_states)
      : history_(history), model_(model), left_(limit), done_(history.size()) {}

  // Throws TooManyStates.
  bool is_explained() { return go_on_from(model_); }

 private:
  bool go_on_from(const Model& model) {
    if (was_met(model)) return false;
    const std::uint64_t first_answer = find_first_answer();
    if (first_answer == Operation::never) return true;  // all that came back are done
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (!done_[i] && history_[i].invoked() < first_answer && goes_on_with(i, model)) return true;
    }
    return false;
  }

  bool goes_on_with(std::size_t number, const Model& model) {
    Model next = model;
    const Operation& operation = history_[number];
    if (!next.apply(operation)) return false;
    // What nobody has seen and what changes nothing can as well be left out.
    if (!operation.has_come_back() && next == model) return false;
    done_[number] = true;
    const bool is_explained = go_on_from(next);
    done_[number] = false;
    return is_explained;
  }

  std::uint64_t find_first_answer() const {
    std::uint64_t first = Operation::never;
    for (std::size_t i = 0; i < history_.size(); ++i) {
      if (!done_[i] && history_[i].responded() < first) first = history_[i].responded();
    }
    return first;
  }

  bool was_met(const Model& model) {
    std::vector<Model>& met = met_[done_];
    for (const Model& each : met) {
      if (each == model) return true;
    }
    if (left_-- == 0) throw TooManyStates();
    met.push_back(model);
    return false;
  }

  const History& history_;
  const Model& model_;
  std::uint64_t left_;
  std::vector<bool> done_;
  std::map<std::vector<bool>, std::vector<Model>> met_;
};

template <typename Model>
bool is_linearizable(const History& history, const Model& model) {
  return Linearizer<Model>(history, model).is_explained();
}

// An operation is left out if the others cannot be explained either way: whenever it had happened,
// if at all, and whatever it had given back. So what is left is where the contradiction lies, and
// without any one of them there would be none.
template <typename Model>
History shortest_unexplained(const History& history, const Model& model) {
  constexpr std::uint64_t few_states = 20'000;  // per try; it is about a message
  History left = history;
  std::vector<bool> is_needed(history.size(), true);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Operation before = left[i];
    left[i] = before.in_doubt();
    try {
      is_needed[i] = Linearizer<Model>(left, model, few_states).is_explained();
    } catch (const TooManyStates&) {
      is_needed[i] = true;
    }
    if (is_needed[i]) left[i] = before;
  }
  History needed;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (is_needed[i]) needed.push_back(left[i]);
  }
  return needed;
}

// --- As a property ---

inline std::vector<Value> values_of(const ricercar_value* values, std::uint32_t count) {
  return {values, values + count};
}

inline Operation operation_of(const ricercar_operation& from) {
  return {from.client,
          from.name,
          values_of(from.arguments, from.argument_count),
          from.result_count == 0 ? Value() : Value(from.results[0]),
          from.invoked,
          from.responded == 0 ? Operation::never : from.responded};
}

inline History history_of(const ricercar_state& state) {
  const ricercar_operation* list = nullptr;
  const std::uint32_t count = state.operations(state.host, &list);
  History history;
  for (std::uint32_t i = 0; i < count; ++i) history.push_back(operation_of(list[i]));
  return history;
}

// By the parts that the model tells apart.
template <typename Model>
std::map<std::string, History> parts_of(const History& history) {
  std::map<std::string, History> parts;
  for (const Operation& operation : history) {
    if constexpr (requires { Model::part(operation); }) {
      parts[Model::part(operation)].push_back(operation);
    } else {
      parts[""].push_back(operation);
    }
  }
  return parts;
}

// "one: write(1) [1-4]; two: read() = 0 [5-6]": with their places in the history.
inline std::string words_of_history(const History& history) {
  std::string text;
  for (const Operation& operation : history) {
    text += (text.empty() ? "" : "; ") + operation.words() + " [" +
            std::to_string(operation.invoked()) + "-" +
            (operation.has_come_back() ? std::to_string(operation.responded()) : "") + "]";
  }
  return text;
}

template <typename Model>
bool explains(const History& history, const Model& model, char* message, std::uint32_t room) {
  for (const auto& [name, part] : parts_of<Model>(history)) {
    if (is_linearizable(part, model)) continue;
    copy_message(words_of_history(shortest_unexplained(part, model)), message, room);
    return false;
  }
  return true;
}

template <typename Model>
Property add_history_property(const char* name, Model model) {
  const auto check = [](void* self, std::uint32_t, const ricercar_state* state, char* message,
                        std::uint32_t room) {
    const Model& own = *static_cast<const Model*>(self);
    return answer([&] { return explains(history_of(*state), own, message, room); }, message, room);
  };
  all_properties().push_back({name, RICERCAR_HISTORY, new Model(std::move(model)), check});
  return {};
}

}  // namespace ricercar::detail
