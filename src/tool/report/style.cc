#include "report/style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace ricercar::inline report {
namespace {

// Six colours that can be told apart on light and dark backgrounds.
constexpr const char* lane_colours[] = {"36", "33", "35", "32", "34", "31"};

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

const char* code_of(Ink ink, std::size_t lane) {
  switch (ink) {
    case Ink::bold:
      return "1";
    case Ink::faint:
      return "2";
    case Ink::alarm:
      return "1;31";
    case Ink::mark:
      return "1;33";
    case Ink::lane:
      return lane_colours[lane % std::size(lane_colours)];
    case Ink::plain:
      break;
  }
  return "0";
}

// The number of bytes that hold the first `width` characters.
std::size_t bytes_of(const std::string& text, std::size_t width) {
  std::size_t position = 0;
  for (std::size_t count = 0; position < text.size(); ++position) {
    if (!is_continuation(text[position]) && count++ == width) break;
  }
  return position;
}

}  // namespace

std::string Painter::paint(Ink ink, const std::string& text, std::size_t lane) const {
  if (!colours_ || ink == Ink::plain || text.empty()) return text;
  return std::string("\x1b[") + code_of(ink, lane) + "m" + text + "\x1b[0m";
}

std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !is_continuation(byte); }));
}

std::string cut_to(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  if (width <= 3) return std::string(width, '.');
  return text.substr(0, bytes_of(text, width - 3)) + "...";
}

std::string short_place(const std::string& place, std::size_t width) {
  std::string shown = place;
  for (std::size_t slash = 0; width_of(shown) > width;) {
    slash = place.find('/', slash);
    if (slash == std::string::npos) break;
    shown = "..." + place.substr(slash);
    if (place.find('/', ++slash) == std::string::npos) break;
  }
  // The dots are not worth more than the name.
  const std::string name = place.substr(place.rfind('/') + 1);
  return width_of(shown) > width ? name : shown;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t has = width_of(text);
  return has >= width ? text : text + std::string(width - has, ' ');
}

std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string result;
  std::string line;
  const auto finish_line = [&] {
    result += line;
    line = "\n" + std::string(indent, ' ');
  };
  bool line_is_empty = true;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (!line_is_empty && width_of(line) + 1 + width_of(word) > width) {
      finish_line();
      line_is_empty = true;
    }
    line += (line_is_empty ? "" : " ") + word;
    line_is_empty = false;
    start = end + 1;
  }
  return result + line;
}

std::string harmless(const std::string& text) {
  std::string result = text;
  for (char& byte : result) {
    const auto code = static_cast<unsigned char>(byte);
    if ((code < 0x20 && byte != '\n' && byte != '\t') || code == 0x7f) byte = '?';
  }
  return result;
}

std::string markup(const std::string& text) {
  std::string result;
  for (const char character : harmless(text)) {
    switch (character) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += character;
    }
  }
  return result;
}

std::string shell_word(const std::string& text) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string quoted = "'";
  for (const char letter : text)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return quoted + "'";
}

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(std::uint64_t count, const std::string& one) {
  return grouped(count) + " " + one + (count == 1 ? "" : "s");
}

std::string enumerated(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string change_of_size(const ExecutionSize& before, const ExecutionSize& after) {
  std::string text;
  const auto add = [&text](std::uint64_t from, std::uint64_t to, const char* one,
                           const char* several) {
    if (from == to) return;
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", grouped(from),
                        from == 1 ? one : several, grouped(to));
  };
  add(before.preemptions, after.preemptions, "preemption", "preemptions");
  add(before.switches, after.switches, "switch", "switches");
  add(before.steps, after.steps, "step", "steps");
  add(before.faults, after.faults, "fault", "faults");
  return text;
}

}  // namespace ricercar::inline report
