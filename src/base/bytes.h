// Numbers and texts as bytes that mean the same in every process and on every machine of one kind,
// and back. No addresses: what is written must be whole in itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace ricercar::inline base {

class ByteWriter {
 public:
  // Small numbers take one byte.
  void number(std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) bytes_ += static_cast<char>(number | 0x80);
    bytes_ += static_cast<char>(number);
  }
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  template <typename T>
  void plain(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <typename T>
  void list(std::span<const T> values) {
    static_assert(std::is_trivially_copyable_v<T>);
    number(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads what a ByteWriter wrote, in the same order.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<std::uint8_t>(next(1)[0]);
      number |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
  }
  std::string_view text() { return next(number()); }
  template <typename T>
  T plain() {
    T value;
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }
  template <typename T>
  std::vector<T> list() {
    std::vector<T> values(number());
    const std::string_view bytes = next(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view next(std::size_t size) {
    RICERCAR_CHECK(size <= bytes_.size());
    const std::string_view result = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return result;
  }

  std::string_view bytes_;
};

}  // namespace ricercar::inline base
