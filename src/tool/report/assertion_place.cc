#include "report/assertion_place.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include "report/function_name.h"

namespace ricercar::inline report {
namespace {

struct AssertionPlace {
  std::string function;  // empty: not known
  std::string file;
  unsigned line = 0;
};

constexpr std::string_view failed = "' failed";
constexpr std::string_view framework_failed = "assertion failed: ";
constexpr std::string_view in_function = " in ";
constexpr std::size_t most_digits = 9;

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= most_digits &&
         std::all_of(text.begin(), text.end(),
                     [](unsigned char letter) { return std::isdigit(letter) != 0; });
}

// g++ and clang++ have names of their own for an unnamed namespace and for the types of lambdas.
// Only an ordinary name is of use.
std::string plain_function_name(std::string text) {
  constexpr std::string_view unnamed = "{anonymous}::";
  for (std::size_t at = 0; (at = text.find(unnamed)) != std::string::npos;) {
    text.erase(at, unnamed.size());
  }
  const std::string name = readable_function_name(text);
  const bool is_plain = name.find_first_of(" <({") == std::string::npos;
  return is_plain ? name : "";
}

// "assertion `x' failed in f (a.cc:12)", or "assertion failed: x (a.cc:12)" of a test framework.
std::optional<AssertionPlace> place_in(std::string_view message) {
  const bool is_framework = message.starts_with(framework_failed);
  const std::size_t end = is_framework ? 0 : message.rfind(failed);
  const std::size_t open = message.rfind(" (");
  const std::size_t colon = message.rfind(':');
  if (end == std::string_view::npos || open == std::string_view::npos || open < end) return {};
  if (colon == std::string_view::npos || colon < open || !message.ends_with(')')) return {};
  const std::string_view line = message.substr(colon + 1, message.size() - colon - 2);
  if (!is_number(line)) return {};
  AssertionPlace place;
  place.file = message.substr(open + 2, colon - open - 2);
  place.line = static_cast<unsigned>(std::stoul(std::string(line)));
  if (is_framework) return place;
  const std::string_view function = message.substr(end + failed.size(), open - end - failed.size());
  if (function.starts_with(in_function)) {
    place.function = plain_function_name(std::string(function.substr(in_function.size())));
  }
  return place;
}

std::string_view last_part(std::string_view name, char separator) {
  const std::size_t at = name.rfind(separator);
  return at == std::string_view::npos ? name : name.substr(at + 1);
}

bool is_in(const Frame& call, const std::string& function) {
  return function.empty() || last_part(call.function, ':') == last_part(function, ':');
}

}  // namespace

void put_assertion_in_place(const std::string& message, std::vector<Frame>& calls) {
  const std::optional<AssertionPlace> place = place_in(message);
  if (!place) return;
  const auto call = std::find_if(calls.begin(), calls.end(), [&](const Frame& frame) {
    return frame.is_users && last_part(frame.file, '/') == last_part(place->file, '/');
  });
  if (call == calls.end() || call->line == place->line) return;
  if (is_in(*call, place->function)) {
    call->line = place->line;
    return;
  }
  // A function that was inlined, and nothing is left of the call.
  Frame inlined = *call;
  inlined.function = place->function;
  inlined.line = place->line;
  calls.insert(call, inlined);
}

}  // namespace ricercar::inline report
