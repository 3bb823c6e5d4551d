// Structs that name their fields, so that files, summaries and the command line can go through all
// of them and nobody copies one after the other by hand.
//
// Such a struct has a function `fields()` that returns a tuple with a Field for each of its own
// members, in order, and a static_assert of `names_all_fields` behind it: a member without a row
// does not compile. What a struct inherits has rows in its base.
#pragma once

#include <ricercar/detail/fields.h>

#include <tuple>
#include <type_traits>

namespace ricercar::inline model {

// Where a summary shows a field.
enum class Shown {
  always,
  unless_zero,
  elsewhere,  // not among the others: at a place of its own, or not at all
};

template <typename Owner, typename Value>
struct Field {
  const char* name;
  Value Owner::*member;
  Shown shown = Shown::always;
};
template <typename Owner, typename Value, typename... Shown>
Field(const char*, Value Owner::*, Shown...) -> Field<Owner, Value>;

// A base takes one initialiser.
template <typename Struct, typename Base = void>
inline constexpr bool names_all_fields = std::tuple_size_v<decltype(Struct::fields())> ==
                                         detail::initialiser_count<Struct>() -
                                             (std::is_void_v<Base> ? 0 : 1);

// Calls visit(field, value) for each of the struct's own members, in order.
template <typename Struct, typename Object, typename Visit>
constexpr void visit_fields(Object& object, Visit visit) {
  const auto visit_all = [&](const auto&... field) { (visit(field, object.*field.member), ...); };
  std::apply(visit_all, Struct::fields());
}

}  // namespace ricercar::inline model
