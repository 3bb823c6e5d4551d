// Text in arrays of a fixed size, for what crosses the border of a process, the lines of a text,
// and how it begins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace ricercar::inline base {

// As much of the text as fits.
template <std::size_t size>
void copy_text(char (&to)[size], const std::string& from) {
  std::strncpy(to, from.c_str(), size - 1);
  to[size - 1] = 0;
}

// A field of a struct that is copied as bytes. Zeros up to its end.
template <std::size_t size>
struct FixedText {
  char bytes[size] = {};

  static constexpr std::size_t room = size - 1;

  constexpr FixedText() = default;
  // As much of it as fits: ask for `room` first where that is not good enough.
  constexpr FixedText(std::string_view text) {  // NOLINT(google-explicit-constructor): it is one
    std::copy_n(text.begin(), std::min(text.size(), room), bytes);
  }
  constexpr FixedText(const char* text) : FixedText(std::string_view(text)) {}  // NOLINT: likewise

  constexpr operator std::string_view() const { return bytes; }  // NOLINT: likewise
  constexpr bool empty() const { return bytes[0] == 0; }
  constexpr bool operator==(const FixedText&) const = default;
};

// Those that are not empty.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    if (end > start) lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

bool starts_with_one_of(std::string_view text, const auto& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

}  // namespace ricercar::inline base
