// Hashes of values: 128 bits that stand for the state of a machine or for an event.
//
// Numbers, enumerations, strings, containers, pairs, tuples, optionals, variants, machine ids and
// plain structs of all these are hashed as they are. Any other type has a member
// `void hash(ricercar::Hasher& hasher) const`.
#pragma once

#include <ricercar/detail/fields.h>

#include <array>
#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace ricercar {

struct Hash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  bool operator==(const Hash&) const = default;
  // Sums do not depend on the order.
  Hash operator+(const Hash& other) const { return {low + other.low, high + other.high}; }
  Hash operator-(const Hash& other) const { return {low - other.low, high - other.high}; }
};

// The name of a machine. Valid in the system where the machine was created.
class MachineId {
 public:
  constexpr MachineId() = default;
  constexpr explicit MachineId(std::uint32_t number) : number_(number) {}

  constexpr std::uint32_t number() const { return number_; }
  constexpr explicit operator bool() const { return number_ != nobody; }
  auto operator<=>(const MachineId&) const = default;

  static constexpr std::uint32_t nobody = 0xffffffff;

 private:
  std::uint32_t number_ = nobody;
};

class Hasher {
 public:
  Hasher() = default;
  // With other numbers for machines: two states that differ only in the names of interchangeable
  // machines are one under some renaming.
  explicit Hasher(const std::uint32_t* names, std::uint32_t count) : names_(names), count_(count) {}

  void add(std::uint64_t word) {
    low_ = fold(low_ ^ word, 0x9e3779b97f4a7c15);
    high_ = fold(high_ + word, 0xd6e8feb86659fd93);
  }
  void add(const Hash& hash) {
    add(hash.low);
    add(hash.high);
  }
  void add(MachineId machine) {
    const std::uint32_t number = machine.number();
    add(std::uint64_t{number < count_ ? names_[number] : number});
  }
  Hash result() const {
    return {fold(low_ ^ 0xa0761d6478bd642f, 0xe7037ed1a0b428db),
            fold(high_ ^ 0x8ebc6af09c88c6e3, 0x589965cc75374cc3)};
  }
  bool renames() const { return count_ != 0; }
  // What is added need not tell values apart that behave differently: it comes from a type's own
  // member hash(), or the order of the elements is left out.
  void blur() { is_exact_ = false; }
  bool is_exact() const { return is_exact_; }
  // For hashing a part on its own.
  Hasher fresh() const { return Hasher(names_, count_); }

 private:
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  std::uint64_t low_ = 0x243f6a8885a308d3;
  std::uint64_t high_ = 0x13198a2e03707344;
  const std::uint32_t* names_ = nullptr;
  std::uint32_t count_ = 0;
  bool is_exact_ = true;
};

template <typename T>
void hash_value(Hasher& hasher, const T& value);

namespace detail {

template <typename T>
concept HashesItself = requires(const T& value, Hasher& hasher) {
  value.hash(hasher);
};

template <typename T>
concept Unordered = requires {
  typename T::hasher;
};

template <typename T>
concept Associative = requires {
  typename T::key_type;
};

template <typename T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};

template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_variant = false;
template <typename... T>
inline constexpr bool is_variant<std::variant<T...>> = true;
template <typename T>
inline constexpr bool is_duration = false;
template <typename R, typename P>
inline constexpr bool is_duration<std::chrono::duration<R, P>> = true;

template <typename T>
inline constexpr bool is_plain = std::is_aggregate_v<T>&& std::is_class_v<T>;

// What for_each_part and the like can look into.
template <typename T>
inline constexpr bool is_transparent =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || std::is_same_v<T, MachineId> ||
    HashesItself<T> || std::ranges::range<const T> || is_optional<T> || is_variant<T> ||
    is_duration<T> || TupleLike<T> || std::is_same_v<T, std::monostate> || is_plain<T>;

inline void hash_bytes(Hasher& hasher, std::string_view text) {
  hasher.add(text.size());
  std::uint64_t word = 0;
  int filled = 0;
  for (const char character : text) {
    word = word << 8 | static_cast<unsigned char>(character);
    if (++filled == 8) {
      hasher.add(word);
      word = 0;
      filled = 0;
    }
  }
  if (filled != 0) hasher.add(word);
}

// Whatever the order of the elements.
template <typename T>
void hash_elements(Hasher& hasher, const T& range) {
  hasher.blur();
  Hash sum;
  std::uint64_t size = 0;
  for (const auto& element : range) {
    Hasher one = hasher.fresh();
    hash_value(one, element);
    sum = sum + one.result();
    ++size;
  }
  hasher.add(size);
  hasher.add(sum);
}

template <typename T>
void hash_range(Hasher& hasher, const T& range) {
  if constexpr (Unordered<T>) return hash_elements(hasher, range);
  // Sets and maps are in the order of the names, which a renaming changes.
  if constexpr (Associative<T>) {
    if (hasher.renames()) return hash_elements(hasher, range);
  }
  std::uint64_t size = 0;
  for (const auto& element : range) {
    hash_value(hasher, static_cast<const std::ranges::range_value_t<const T>&>(element));
    ++size;
  }
  hasher.add(size);
}

template <typename T>
std::uint64_t number_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::bit_cast<std::uint64_t>(static_cast<double>(value));
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

}  // namespace detail

template <typename T>
void hash_value(Hasher& hasher, const T& value) {
  static_assert(!std::is_pointer_v<T>,
                "Ricercar: a pointer in a machine or an event. Addresses are not part of a state: "
                "keep the value itself, or the MachineId of who owns it.");
  static_assert(std::is_pointer_v<T> || detail::is_transparent<T>,
                "Ricercar: a type in a machine or an event cannot be hashed. Make it a plain "
                "struct (public members, no constructors), "
                "or give it a member `void hash(ricercar::Hasher&) const`.");
  if constexpr (std::is_same_v<T, MachineId>) {
    hasher.add(value);
  } else if constexpr (detail::HashesItself<T>) {
    hasher.blur();
    value.hash(hasher);
  } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
    hasher.add(detail::number_of(value));
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    detail::hash_bytes(hasher, value);
  } else if constexpr (std::ranges::range<const T>) {
    detail::hash_range(hasher, value);
  } else if constexpr (detail::is_optional<T>) {
    hasher.add(std::uint64_t{value.has_value()});
    if (value) hash_value(hasher, *value);
  } else if constexpr (detail::is_variant<T>) {
    hasher.add(std::uint64_t{value.index()});
    std::visit([&hasher](const auto& held) { hash_value(hasher, held); }, value);
  } else if constexpr (detail::is_duration<T>) {
    hasher.add(static_cast<std::uint64_t>(value.count()));
  } else if constexpr (detail::TupleLike<T>) {
    std::apply([&hasher](const auto&... part) { (hash_value(hasher, part), ...); }, value);
  } else if constexpr (detail::is_plain<T>) {
    detail::for_each_field(value, [&hasher](const auto& field) { hash_value(hasher, field); });
  }
}

}  // namespace ricercar
