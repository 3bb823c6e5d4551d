// Values as bytes: events on their way to other processes and in log files. The format is described
// in docs/reference/wire-format.md.
//
// What can be hashed (hash.h) can be encoded, with no line written for it. A type with a `hash`
// member of its own has `void encode(ricercar::Encoder&) const` and `void
// decode(ricercar::Decoder&)` as well.
#pragma once

#include <ricercar/detail/machine_type.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>

namespace ricercar {

class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void byte(std::uint8_t value) { out_ += static_cast<char>(value); }
  // Seven bits in a byte, the lowest first; the highest bit says that more follow.
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  // Small if it is near to zero on either side.
  void signed_number(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    number(value < 0 ? ~(bits << 1) : bits << 1);
  }
  void fixed(std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) byte(static_cast<std::uint8_t>(value >> (8 * i)));
  }
  void text(std::string_view value) {
    number(value.size());
    out_ += value;
  }
  template <typename T>
  void value(const T& value);

 private:
  std::string& out_;
};

// Never reads beyond its input. The first mistake is kept; what is read behind it is zero or empty.
class Decoder {
 public:
  explicit Decoder(std::string_view in) : in_(in) {}

  bool ok() const { return mistake_.empty(); }
  std::string_view mistake() const { return mistake_; }  // why it is not ok
  bool at_end() const { return in_.empty(); }
  std::size_t left() const { return in_.size(); }

  void fail(std::string_view why) {  // a literal
    if (ok()) mistake_ = why;
    in_ = {};
  }
  std::uint8_t byte() {
    if (in_.empty()) return fail("the bytes end too early"), std::uint8_t{0};
    const auto first = static_cast<std::uint8_t>(in_.front());
    in_.remove_prefix(1);
    return first;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint64_t next = byte();
      if (shift == 63 && next > 1) break;
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return value;
    }
    return fail("a number of more than 64 bits"), 0;
  }
  std::int64_t signed_number() {
    const std::uint64_t coded = number();
    return static_cast<std::int64_t>(coded >> 1 ^ (~(coded & 1) + 1));
  }
  std::uint64_t fixed(int bytes) {
    std::uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= std::uint64_t{byte()} << (8 * i);
    return value;
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size > in_.size()) return fail("a text that is longer than its frame"), std::string_view();
    const std::string_view value = in_.substr(0, size);
    in_.remove_prefix(size);
    return value;
  }
  template <typename T>
  void value(T& value);

  // How deep values lie in each other. Types that contain themselves have no other limit.
  static constexpr int deepest = 64;
  // Elements that take no bytes: nothing else limits their number.
  static constexpr std::uint64_t most_empty_elements = 1 << 16;

 private:
  template <typename T>
  void read(T& value);
  template <typename T>
  void integer(T& value);
  template <typename T>
  void range(T& range);
  template <typename T, std::size_t index = 0>
  void alternative(T& variant, std::uint64_t wanted);

  std::string_view in_;
  std::string_view mistake_;
  int depth_ = 0;
};

namespace detail {

template <typename T>
concept EncodesItself = requires(const T& value, T& target, Encoder& encoder, Decoder& decoder) {
  value.encode(encoder);
  target.decode(decoder);
};

template <typename T>
concept HasFixedSize = TupleLike<T> && std::ranges::range<T>;  // std::array

template <typename T>
inline constexpr bool is_text = std::is_convertible_v<const T&, std::string_view>;

// The element of a container, without the const of a map's keys.
template <typename T>
struct Mutable {
  using Type = T;
};
template <typename K, typename V>
struct Mutable<std::pair<const K, V>> {
  using Type = std::pair<K, V>;
};
template <typename T>
using Element = typename Mutable<std::ranges::range_value_t<T>>::Type;

template <typename T>
constexpr void require_encodable() {
  static_assert(!std::is_pointer_v<T>,
                "Ricercar: a pointer in an event. Addresses mean nothing to another process: send "
                "the value itself, or the MachineId of who owns it.");
  static_assert(EncodesItself<T> || !HashesItself<T>,
                "Ricercar: an event for other processes has a part with a `hash` member of its "
                "own. Give it `void encode(ricercar::Encoder&) const` and `void "
                "decode(ricercar::Decoder&)`.");
  static_assert(std::is_pointer_v<T> || EncodesItself<T> || is_transparent<T>,
                "Ricercar: a part of an event cannot be encoded. Make it a plain struct (public "
                "members, no constructors), or give it `void hash(ricercar::Hasher&) const`, `void "
                "encode(ricercar::Encoder&) const` and `void decode(ricercar::Decoder&)`.");
  static_assert(!std::is_same_v<T, long double>,
                "Ricercar: long double differs between compilers; send a double.");
  static_assert(std::is_default_constructible_v<T>,
                "Ricercar: a part of an event for other processes has no default constructor: it "
                "could not be decoded.");
}

}  // namespace detail

template <typename T>
void Encoder::value(const T& value) {
  detail::require_encodable<T>();
  if constexpr (std::is_same_v<T, MachineId>) {
    fixed(value.number(), 4);
  } else if constexpr (detail::EncodesItself<T>) {
    value.encode(*this);
  } else if constexpr (std::is_same_v<T, bool>) {
    byte(value ? 1 : 0);
  } else if constexpr (std::is_enum_v<T>) {
    this->value(static_cast<std::underlying_type_t<T>>(value));
  } else if constexpr (std::is_same_v<T, float>) {
    fixed(std::bit_cast<std::uint32_t>(value), 4);
  } else if constexpr (std::is_same_v<T, double>) {
    fixed(std::bit_cast<std::uint64_t>(value), 8);
  } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
    signed_number(value);
  } else if constexpr (std::is_integral_v<T>) {
    number(value);
  } else if constexpr (detail::is_text<T>) {
    text(value);
  } else if constexpr (std::ranges::range<const T>) {
    if constexpr (!detail::HasFixedSize<T>) {
      number(static_cast<std::uint64_t>(std::ranges::distance(value)));
    }
    for (const auto& element : value) {
      this->value(static_cast<const std::ranges::range_value_t<const T>&>(element));
    }
  } else if constexpr (detail::is_optional<T>) {
    byte(value ? 1 : 0);
    if (value) this->value(*value);
  } else if constexpr (detail::is_variant<T>) {
    number(value.index());
    std::visit([this](const auto& held) { this->value(held); }, value);
  } else if constexpr (detail::is_duration<T>) {
    this->value(value.count());
  } else if constexpr (detail::TupleLike<T>) {
    std::apply([this](const auto&... part) { (this->value(part), ...); }, value);
  } else if constexpr (detail::is_plain<T>) {
    detail::for_each_field(value, [this](const auto& field) { this->value(field); });
  }
}

template <typename T>
void Decoder::integer(T& value) {
  const auto wide = [this] {
    if constexpr (std::is_signed_v<T>) {
      return signed_number();
    } else {
      return number();
    }
  }();
  if (wide != static_cast<T>(wide)) fail("a number that is too large for its field");
  value = static_cast<T>(wide);
}

template <typename T>
void Decoder::range(T& range) {
  using Element = detail::Element<T>;
  const std::uint64_t size = number();
  const std::uint64_t limit = std::is_empty_v<Element> ? most_empty_elements : left();
  if (size > limit) return fail("a container that is larger than its frame");
  range.clear();
  for (std::uint64_t i = 0; i < size && ok(); ++i) {
    Element element{};
    value(element);
    if (ok()) range.insert(range.end(), std::move(element));
  }
}

template <typename T, std::size_t index>
void Decoder::alternative(T& variant, std::uint64_t wanted) {
  if constexpr (index == std::variant_size_v<T>) {
    fail("a variant with an alternative that it does not have");
  } else if (wanted == index) {
    value(variant.template emplace<index>());
  } else {
    alternative<T, index + 1>(variant, wanted);
  }
}

template <typename T>
void Decoder::value(T& value) {
  detail::require_encodable<T>();
  if (++depth_ > deepest) fail("values that lie too deep in each other");
  if (ok()) read(value);
  --depth_;
}

template <typename T>
void Decoder::read(T& value) {
  if constexpr (std::is_same_v<T, MachineId>) {
    value = MachineId(static_cast<std::uint32_t>(fixed(4)));
  } else if constexpr (detail::EncodesItself<T>) {
    value.decode(*this);
  } else if constexpr (std::is_same_v<T, bool>) {
    const std::uint8_t flag = byte();
    if (flag > 1) fail("a bool that is neither true nor false");
    value = flag == 1;
  } else if constexpr (std::is_enum_v<T>) {
    std::underlying_type_t<T> number{};
    this->value(number);
    value = static_cast<T>(number);
  } else if constexpr (std::is_same_v<T, float>) {
    value = std::bit_cast<float>(static_cast<std::uint32_t>(fixed(4)));
  } else if constexpr (std::is_same_v<T, double>) {
    value = std::bit_cast<double>(fixed(8));
  } else if constexpr (std::is_integral_v<T>) {
    integer(value);
  } else if constexpr (detail::is_text<T>) {
    static_assert(std::is_same_v<T, std::string>,
                  "Ricercar: a text in an event for other processes is a std::string: it has to "
                  "own its characters.");
    value = std::string(text());
  } else if constexpr (detail::HasFixedSize<T>) {
    for (auto& element : value) this->value(element);
  } else if constexpr (std::ranges::range<T>) {
    range(value);
  } else if constexpr (detail::is_optional<T>) {
    const std::uint8_t flag = byte();
    if (flag > 1) fail("an optional that is neither there nor not");
    value.reset();
    if (flag == 1) this->value(value.emplace());
  } else if constexpr (detail::is_variant<T>) {
    alternative(value, number());
  } else if constexpr (detail::is_duration<T>) {
    typename T::rep count{};
    this->value(count);
    value = T(count);
  } else if constexpr (detail::TupleLike<T>) {
    std::apply([this](auto&... part) { (this->value(part), ...); }, value);
  } else if constexpr (detail::is_plain<T>) {
    detail::for_each_field(value, [this](auto& field) { this->value(field); });
  }
}

namespace detail {

// The structure of a type in a few characters: processes that disagree about an event notice it.
template <typename T>
void add_shape(std::string& shape, int depth = 0) {
  require_encodable<T>();
  if (depth > 8) {
    shape += '~';  // a type that contains itself
  } else if constexpr (std::is_same_v<T, MachineId>) {
    shape += 'm';
  } else if constexpr (EncodesItself<T>) {
    shape += full_type_name<T>();
  } else if constexpr (std::is_enum_v<T>) {
    add_shape<std::underlying_type_t<T>>(shape, depth + 1);
  } else if constexpr (std::is_arithmetic_v<T>) {
    shape += std::is_same_v<T, bool>       ? 'b'
             : std::is_floating_point_v<T> ? 'f'
             : std::is_signed_v<T>         ? 'i'
                                           : 'u';
    shape += std::to_string(8 * sizeof(T));
  } else if constexpr (is_text<T>) {
    shape += 's';
  } else if constexpr (HasFixedSize<T>) {
    shape += std::to_string(std::tuple_size_v<T>) + '*';
    add_shape<std::ranges::range_value_t<T>>(shape, depth + 1);
  } else if constexpr (std::ranges::range<T>) {
    shape += '[';
    add_shape<Element<T>>(shape, depth + 1);
    shape += ']';
  } else if constexpr (is_optional<T>) {
    shape += '?';
    add_shape<typename T::value_type>(shape, depth + 1);
  } else if constexpr (is_duration<T>) {
    add_shape<typename T::rep>(shape, depth + 1);
    shape += "/" + std::to_string(T::period::num) + ":" + std::to_string(T::period::den);
  } else if constexpr (is_variant<T>) {
    [&]<std::size_t... index>(std::index_sequence<index...>) {
      shape += '<';
      ((add_shape<std::variant_alternative_t<index, T>>(shape, depth + 1), shape += '|'), ...);
      shape += '>';
    }
    (std::make_index_sequence<std::variant_size_v<T>>());
  } else if constexpr (TupleLike<T>) {
    [&]<std::size_t... index>(std::index_sequence<index...>) {
      shape += '(';
      ((add_shape<std::tuple_element_t<index, T>>(shape, depth + 1), shape += ','), ...);
      shape += ')';
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (is_plain<T>) {
    shape += '{';
    const T value{};
    for_each_field(value, [&](const auto& field) {
      add_shape<std::remove_cvref_t<decltype(field)>>(shape, depth + 1);
      shape += ',';
    });
    shape += '}';
  }
}

// How events of one type are turned into bytes and back.
struct Codec {
  const EventType* type;
  std::string (*shape)();
  void (*encode)(const void* event, Encoder& encoder);
  // Null, and decoder.mistake() says why, if the bytes are not an event of this type.
  Event (*decode)(Decoder& decoder);
};

template <typename E>
const Codec& codec() {
  static const Codec made = {
      &event_type<E>(),
      [] {
        std::string shape;
        add_shape<E>(shape);
        return shape;
      },
      [](const void* event, Encoder& encoder) { encoder.value(*static_cast<const E*>(event)); },
      [](Decoder& decoder) {
        E event{};
        decoder.value(event);
        if (decoder.ok() && !decoder.at_end()) decoder.fail("bytes behind the end of the event");
        return decoder.ok() ? make_event(std::move(event)) : Event();
      }};
  return made;
}

}  // namespace detail
}  // namespace ricercar
