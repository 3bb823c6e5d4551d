/* Values that a node of a cluster reports, for properties over several nodes and for reports. C and
 * C++.
 *
 *   ricercar::log("commit", "index,term", index, term);   // from now on this node has these values
 *   ricercar::forget("index");                            // and from now on not that one
 *
 * They do nothing in a program that is not a node under control, and cost one branch in one that
 * was not linked with Ricercar at all. Any thread may call them. */
#ifndef RICERCAR_LOG_H
#define RICERCAR_LOG_H

#include <ricercar/abi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- For C; C++ has ricercar::log --- */

static inline struct ricercar_value ricercar_integer(int64_t integer) {
  struct ricercar_value value = {RICERCAR_INTEGER, 0, {0}};
  value.as.integer = integer;
  return value;
}

static inline struct ricercar_value ricercar_number(double number) {
  struct ricercar_value value = {RICERCAR_NUMBER, 0, {0}};
  value.as.number = number;
  return value;
}

static inline struct ricercar_value ricercar_boolean(int is_true) {
  struct ricercar_value value = {RICERCAR_BOOLEAN, 0, {0}};
  value.as.natural = is_true != 0;
  return value;
}

static inline struct ricercar_value ricercar_text(const char* text) {
  struct ricercar_value value = {RICERCAR_TEXT, 0, {0}};
  value.as.text = text;
  while (text[value.size] != 0) ++value.size;
  return value;
}

/* A name for each of the values, separated by commas. */
static inline void ricercar_log(const char* id, const char* names,
                                const struct ricercar_value* values, uint32_t count) {
  if (ricercar_report) ricercar_report(RICERCAR_LOG, id, names, values, count);
}

static inline void ricercar_log_integer(const char* id, const char* name, int64_t integer) {
  const struct ricercar_value value = ricercar_integer(integer);
  ricercar_log(id, name, &value, 1);
}

static inline void ricercar_log_number(const char* id, const char* name, double number) {
  const struct ricercar_value value = ricercar_number(number);
  ricercar_log(id, name, &value, 1);
}

static inline void ricercar_log_boolean(const char* id, const char* name, int is_true) {
  const struct ricercar_value value = ricercar_boolean(is_true);
  ricercar_log(id, name, &value, 1);
}

static inline void ricercar_log_text(const char* id, const char* name, const char* text) {
  const struct ricercar_value value = ricercar_text(text);
  ricercar_log(id, name, &value, 1);
}

/* A client begins an operation, and has its answer: see ricercar::invoke below. */
static inline void ricercar_invoke(const char* client, const char* operation,
                                   const struct ricercar_value* arguments, uint32_t count) {
  if (ricercar_report) {
    ricercar_report(RICERCAR_INVOKE, client, operation, arguments, count);
  }
}

static inline void ricercar_respond(const char* client) {
  if (ricercar_report) ricercar_report(RICERCAR_RESPOND, client, "", 0, 0);
}

static inline void ricercar_respond_with(const char* client, struct ricercar_value result) {
  if (ricercar_report) ricercar_report(RICERCAR_RESPOND, client, "", &result, 1);
}

/* Several names may be given at once: "index,term". */
static inline void ricercar_forget(const char* names) {
  if (ricercar_report) ricercar_report(RICERCAR_FORGET, "", names, 0, 0);
}

#ifdef __cplusplus
}

#include <string>
#include <type_traits>

namespace ricercar {
namespace detail {

inline ricercar_value value_of_text(const char* text, std::size_t size) {
  ricercar_value value = {RICERCAR_TEXT, static_cast<std::uint32_t>(size), {0}};
  value.as.text = text;
  return value;
}

inline ricercar_value value_of(bool boolean) {
  ricercar_value value = {RICERCAR_BOOLEAN, 0, {0}};
  value.as.natural = boolean ? 1 : 0;
  return value;
}

// Numbers, and enumerations by their numbers.
template <typename Number>
typename std::enable_if<std::is_floating_point<Number>::value, ricercar_value>::type value_of(
    Number number) {
  ricercar_value value = {RICERCAR_NUMBER, 0, {0}};
  value.as.number = static_cast<double>(number);
  return value;
}

template <typename Number>
typename std::enable_if<std::is_integral<Number>::value || std::is_enum<Number>::value,
                        ricercar_value>::type
value_of(Number number) {
  const bool is_signed = static_cast<long long>(number) < 0 || std::is_signed<Number>::value;
  ricercar_value value = {
      static_cast<std::uint32_t>(is_signed ? RICERCAR_INTEGER : RICERCAR_UNSIGNED), 0, {0}};
  value.as.integer = static_cast<std::int64_t>(number);
  return value;
}

inline ricercar_value value_of(const char* text) {
  std::size_t size = 0;
  while (text[size] != '\0') ++size;
  return value_of_text(text, size);
}

// std::string, std::string_view and their like.
template <typename Text>
auto value_of(const Text& text) ->
    typename std::enable_if<std::is_convertible<decltype(text.data()), const char*>::value,
                            ricercar_value>::type {
  return value_of_text(text.data(), text.size());
}

template <typename... Values>
void report(std::uint32_t what, const char* id, const char* names, const Values&... values) {
  if (ricercar_report == nullptr) return;
  const ricercar_value all[sizeof...(values) + 1] = {value_of(values)..., value_of(false)};
  ricercar_report(what, id, names, all, sizeof...(values));
}

}  // namespace detail

// Reports values of this node: integers, floating point, bool, enumerations, texts. `id` says on
// which occasion; `names` has a name for each value. They are this node's until they are reported
// again or forgotten, or the node crashes.
template <typename... Values>
void log(const char* id, const char* names, const Values&... values) {
  detail::report(RICERCAR_LOG, id, names, values...);
}

// This node has these values no more.
inline void forget(const char* names) { detail::report(RICERCAR_FORGET, "", names); }

// A client begins an operation, and has its answer: around the call of a client, for a check of the
// history (<ricercar/history.h>). A client has one operation at a time; threads have names of their
// own. Without respond, an operation may have happened or not.
template <typename... Arguments>
void invoke(const std::string& client, const char* operation, const Arguments&... arguments) {
  detail::report(RICERCAR_INVOKE, client.c_str(), operation, arguments...);
}
inline void respond(const std::string& client) {
  detail::report(RICERCAR_RESPOND, client.c_str(), "");
}
template <typename Result>
void respond(const std::string& client, const Result& result) {
  detail::report(RICERCAR_RESPOND, client.c_str(), "", result);
}

}  // namespace ricercar

#endif
#endif
