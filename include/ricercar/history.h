// Histories of operations: what clients have asked for and got back, compared with a model that
// does one operation at a time.
//
//   // In the client, around the call (<ricercar/log.h>):
//   ricercar::invoke("one", "put", key, value);
//   store.put(key, value);
//   ricercar::respond("one");
//
//   // In the file of properties:
//   #include <ricercar/history.h>
//   const auto store = ricercar::linearizable("store", ricercar::models::Map());
//
// A history is linearizable if its operations could have happened one at a time, each between its
// call and its answer, as the model says. An operation without an answer may have happened, or not.
#pragma once

#include <ricercar/log.h>
#include <ricercar/properties.h>

#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace ricercar {

// An argument or a result: an integer, a number, a bool or a text.
class Value {
 public:
  Value() = default;
  explicit Value(const ricercar_value& value) : kind_(value.kind), number_(value.as.number) {
    if (kind_ == RICERCAR_UNSIGNED) kind_ = RICERCAR_INTEGER;
    if (kind_ == RICERCAR_TEXT) text_.assign(value.as.text, value.size);
    if (kind_ != RICERCAR_NUMBER) number_ = 0;
    if (kind_ == RICERCAR_INTEGER || kind_ == RICERCAR_BOOLEAN) integer_ = value.as.integer;
  }
  template <typename T>
  static Value of(const T& from) {
    return Value(detail::value_of(from));
  }

  bool is_nothing() const { return kind_ == nothing; }
  std::int64_t integer() const { return integer_; }
  double number() const { return number_; }
  bool boolean() const { return integer_ != 0; }
  const std::string& text() const { return text_; }

  bool operator==(const Value&) const = default;
  auto operator<=>(const Value&) const = default;

  std::string words() const {
    switch (kind_) {
      case RICERCAR_INTEGER:
        return std::to_string(integer_);
      case RICERCAR_NUMBER:
        return std::to_string(number_);
      case RICERCAR_BOOLEAN:
        return boolean() ? "true" : "false";
      case RICERCAR_TEXT:
        return '"' + text_ + '"';
      default:
        return "nothing";
    }
  }

 private:
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  std::uint32_t kind_ = nothing;
  std::int64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
};

// One call of a client.
class Operation {
 public:
  Operation(std::string client, std::string name, std::vector<Value> arguments, Value result,
            std::uint64_t invoked, std::uint64_t responded)
      : client_(std::move(client)),
        name_(std::move(name)),
        arguments_(std::move(arguments)),
        result_(std::move(result)),
        invoked_(invoked),
        responded_(responded) {}

  const std::string& client() const { return client_; }
  bool is(const char* name) const { return name_ == name; }
  const std::string& name() const { return name_; }
  // Nothing, if there are not so many.
  Value argument(std::size_t number) const {
    return number < arguments_.size() ? arguments_[number] : Value();
  }
  // For models: whether it may have given this result. One that has not come back may have given
  // any.
  bool returns(const Value& value) const { return !has_come_back() || result_ == value; }
  template <typename T>
  bool returns(const T& value) const {
    return returns(Value::of(value));
  }
  bool returns_nothing() const { return returns(Value()); }
  bool has_come_back() const { return responded_ != never; }

  std::uint64_t invoked() const { return invoked_; }
  std::uint64_t responded() const { return responded_; }
  // one: get("x") = 1
  std::string words() const {
    std::string text = client_ + ": " + name_ + "(";
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
      text += (i == 0 ? "" : ", ") + arguments_[i].words();
    }
    text += ")";
    if (!has_come_back()) return text + " without an answer";
    return text + " = " + result_.words();
  }
  // As if nobody knew when it happened, whether, and what came of it.
  Operation in_doubt() const { return {client_, name_, arguments_, Value(), 0, never}; }

  static constexpr std::uint64_t never = ~std::uint64_t{0};

 private:
  std::string client_;
  std::string name_;
  std::vector<Value> arguments_;
  Value result_;
  std::uint64_t invoked_;
  std::uint64_t responded_;
};

using History = std::vector<Operation>;

// --- Models ---
//
// A model is a class with `bool apply(const Operation&)`: does the operation, and says whether it
// can have given its result; with `==`; and copied freely. If it has a function
// `static std::string part(const Operation&)`, the operations of each part are judged on their own.

namespace models {

[[noreturn]] inline void unknown(const Operation& operation, const char* known) {
  throw std::invalid_argument("the model does not know the operation '" + operation.name() +
                              "'; it knows " + known);
}

// write(value), read() = value, compare_and_set(expected, value) = whether it was as expected.
struct Register {
  Value value = {};

  bool apply(const Operation& operation) {
    if (operation.is("read")) return operation.returns(value);
    if (operation.is("write")) {
      value = operation.argument(0);
      return true;
    }
    if (!operation.is("compare_and_set")) unknown(operation, "read, write and compare_and_set");
    const bool is_expected = value == operation.argument(0);
    if (is_expected) value = operation.argument(1);
    return operation.returns(is_expected);
  }
  bool operator==(const Register&) const = default;
};

// put(key, value), get(key) = value or nothing, remove(key).
struct Map {
  std::map<Value, Value> values = {};

  static std::string part(const Operation& operation) { return operation.argument(0).words(); }
  bool apply(const Operation& operation) {
    const Value key = operation.argument(0);
    if (operation.is("get")) {
      const auto found = values.find(key);
      return operation.returns(found == values.end() ? Value() : found->second);
    }
    if (operation.is("put")) {
      values[key] = operation.argument(1);
    } else if (operation.is("remove")) {
      values.erase(key);
    } else {
      unknown(operation, "put, get and remove");
    }
    return true;
  }
  bool operator==(const Map&) const = default;
};

// push(value), pop() = the first one, or nothing if there is none.
struct Queue {
  std::deque<Value> values = {};

  bool apply(const Operation& operation) {
    if (operation.is("push")) {
      values.push_back(operation.argument(0));
      return true;
    }
    if (!operation.is("pop")) unknown(operation, "push and pop");
    if (values.empty()) return operation.returns_nothing();
    const Value first = values.front();
    values.pop_front();
    return operation.returns(first);
  }
  bool operator==(const Queue&) const = default;
};

// lock(), try_lock() = whether it was free, unlock(): by the client that has it. With a name as the
// argument there may be several locks.
struct Lock {
  std::string owner = {};

  static std::string part(const Operation& operation) { return operation.argument(0).words(); }
  bool apply(const Operation& operation) {
    const bool is_free = owner.empty();
    if (operation.is("unlock")) {
      if (owner != operation.client()) return false;
      owner.clear();
      return true;
    }
    if (is_free) owner = operation.client();
    if (operation.is("lock")) return is_free;
    if (!operation.is("try_lock")) unknown(operation, "lock, try_lock and unlock");
    return operation.returns(is_free);
  }
  bool operator==(const Lock&) const = default;
};

}  // namespace models
}  // namespace ricercar

#include <ricercar/detail/linearizable.h>

namespace ricercar {

// The history of operations that the clients of the cluster report is linearizable.
template <typename Model>
Property linearizable(const char* name, Model model) {
  return detail::add_history_property(name, std::move(model));
}

}  // namespace ricercar
