// Values as people read them in a report: Prepare{3, "x"}, [1, 2], {1: true}.
#pragma once

#include <ricercar/detail/hash.h>

#include <string>
#include <string_view>

namespace ricercar {

namespace detail {

// "two_phase::Prepare", from the compiler's own name of the function.
template <typename T>
constexpr std::string_view full_type_name() {
  std::string_view name = __PRETTY_FUNCTION__;
  const std::size_t start = name.find("T = ") + 4;
  return name.substr(start, name.find_first_of(";]", start) - start);
}

// Without the scopes in front: "Prepare".
template <typename T>
constexpr std::string_view type_name() {
  std::string_view name = full_type_name<T>();
  if (name.find('<') != std::string_view::npos) return name;
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// The same, found when the program is compiled.
template <typename T>
inline constexpr std::string_view constant_type_name = type_name<T>();

}  // namespace detail

template <typename T>
void describe(std::string& text, const T& value);

namespace detail {

template <typename T>
concept DescribesItself = requires(const T& value, std::string& text) {
  value.describe(text);
};

template <typename Range>
void describe_range(std::string& text, const Range& range) {
  const char* separator = "[";
  for (const auto& element : range) {
    text += separator;
    describe(text, static_cast<const std::ranges::range_value_t<const Range>&>(element));
    separator = ", ";
  }
  text += *separator == '[' ? "[]" : "]";
}

template <typename T>
void describe_fields(std::string& text, const T& value) {
  const char* separator = "{";
  for_each_field(value, [&](const auto& field) {
    text += separator;
    describe(text, field);
    separator = ", ";
  });
  if (*separator != '{') text += '}';
}

}  // namespace detail

template <typename T>
void describe(std::string& text, const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    text += value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, MachineId>) {
    text += value ? "#" + std::to_string(value.number()) : std::string("nobody");
  } else if constexpr (detail::DescribesItself<T>) {
    value.describe(text);
  } else if constexpr (std::is_arithmetic_v<T>) {
    text += std::to_string(value);
  } else if constexpr (std::is_enum_v<T>) {
    text += std::to_string(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    text += '"' + std::string(std::string_view(value)) + '"';
  } else if constexpr (std::ranges::range<const T>) {
    detail::describe_range(text, value);
  } else if constexpr (detail::is_optional<T>) {
    if (value) {
      describe(text, *value);
    } else {
      text += "none";
    }
  } else if constexpr (detail::is_variant<T>) {
    std::visit([&text](const auto& held) { describe(text, held); }, value);
  } else if constexpr (detail::is_duration<T>) {
    text += std::to_string(value.count());
  } else if constexpr (detail::TupleLike<T>) {
    const char* separator = "(";
    std::apply(
        [&](const auto&... part) {
          ((text += separator, describe(text, part), separator = ", "), ...);
        },
        value);
    text += ')';
  } else if constexpr (detail::is_plain<T>) {
    text += detail::type_name<T>();
    detail::describe_fields(text, value);
  } else {
    text += detail::type_name<T>();
  }
}

}  // namespace ricercar
