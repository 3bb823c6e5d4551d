// The fields of a plain struct, without macros or a generator: how machines and events are hashed,
// printed and sent without the user writing a line for it.
//
// A struct is plain if it is an aggregate: public members, no constructors, no virtual functions,
// at most 24 fields, and no base class but ricercar::Machine or ricercar::Monitor.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace ricercar {

struct Machine;
struct Monitor;

namespace detail {

// Stands for a value of any type where only the number of initialisers counts.
struct Anything {
  template <typename T>
  operator T() const {        // NOLINT(google-explicit-constructor): converting is all that it does
    __builtin_unreachable();  // never called; clang asks for a body where T is local to a file
  }
};

template <typename T, std::size_t... index>
constexpr bool takes(std::index_sequence<index...>) {
  return requires { T{(static_cast<void>(index), Anything{})...}; };
}

inline constexpr std::size_t max_fields = 24;

// How many initialisers it takes; max_fields + 2 if there are more than max_fields fields.
template <typename T, std::size_t n = max_fields + 2>
constexpr std::size_t initialiser_count() {
  if constexpr (n == 0 || takes<T>(std::make_index_sequence<n>())) {
    return n;
  } else {
    return initialiser_count<T, n - 1>();
  }
}

template <typename T>
inline constexpr bool has_known_base =
    std::is_base_of_v<Machine, T> || std::is_base_of_v<Monitor, T>;

// A base class without members takes one initialiser.
template <typename T>
constexpr std::size_t count_fields() {
  if constexpr (std::is_empty_v<T>) {
    return 0;
  } else {
    return initialiser_count<T>() - (has_known_base<T> ? 1 : 0);
  }
}
template <typename T>
inline constexpr std::size_t field_count = count_fields<T>();

// Calls visit(field) for every field in order.
template <typename T, typename Visit>
constexpr void for_each_field(T& value, Visit&& visit) {
  constexpr std::size_t count = field_count<std::remove_const_t<T>>;
  static_assert(
      count <= max_fields,
      "Ricercar: a struct with more than 24 fields; group some of them in a struct of their own");
  const auto each = [&visit](auto&... field) { (visit(field), ...); };
  if constexpr (count == 0) {
    static_cast<void>(each);
  } else if constexpr (count == 1) {
    auto& [f1] = value;
    each(f1);
  } else if constexpr (count == 2) {
    auto& [f1, f2] = value;
    each(f1, f2);
  } else if constexpr (count == 3) {
    auto& [f1, f2, f3] = value;
    each(f1, f2, f3);
  } else if constexpr (count == 4) {
    auto& [f1, f2, f3, f4] = value;
    each(f1, f2, f3, f4);
  } else if constexpr (count == 5) {
    auto& [f1, f2, f3, f4, f5] = value;
    each(f1, f2, f3, f4, f5);
  } else if constexpr (count == 6) {
    auto& [f1, f2, f3, f4, f5, f6] = value;
    each(f1, f2, f3, f4, f5, f6);
  } else if constexpr (count == 7) {
    auto& [f1, f2, f3, f4, f5, f6, f7] = value;
    each(f1, f2, f3, f4, f5, f6, f7);
  } else if constexpr (count == 8) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8);
  } else if constexpr (count == 9) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9);
  } else if constexpr (count == 10) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10);
  } else if constexpr (count == 11) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11);
  } else if constexpr (count == 12) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12);
  } else if constexpr (count == 13) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13);
  } else if constexpr (count == 14) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14);
  } else if constexpr (count == 15) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15);
  } else if constexpr (count == 16) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16);
  } else if constexpr (count == 17) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17);
  } else if constexpr (count == 18) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18);
  } else if constexpr (count == 19) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19] =
        value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19);
  } else if constexpr (count == 20) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20);
  } else if constexpr (count == 21) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20,
         f21);
  } else if constexpr (count == 22) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20,
         f21, f22);
  } else if constexpr (count == 23) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20,
         f21, f22, f23);
  } else if constexpr (count == 24) {
    auto& [f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19,
           f20, f21, f22, f23, f24] = value;
    each(f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, f19, f20,
         f21, f22, f23, f24);
  }
}

}  // namespace detail
}  // namespace ricercar
