#include "search/failure.h"

#include <algorithm>
#include <cctype>

namespace ricercar::inline search {
namespace {

bool is_digit(char character) { return std::isdigit(static_cast<unsigned char>(character)) != 0; }
bool is_hexadecimal(char character) {
  return std::isxdigit(static_cast<unsigned char>(character)) != 0;
}
bool is_in_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

// Who waits where says all of a deadlock, and which two places access the same memory all of a
// race: the order in which a message names them is that of the execution. Of what goes round for
// ever all is said by the places to which each thread comes; a message says how long a round is.
bool is_told_by_places(const Failure& failure) {
  return failure.kind == OutcomeKind::deadlock || failure.kind == OutcomeKind::data_race ||
         failure.goes_round;
}

}  // namespace

std::string without_numbers_of_execution(std::string_view message) {
  std::string text;
  for (std::size_t i = 0; i < message.size();) {
    const bool begins_word = i == 0 || !is_in_word(message[i - 1]);
    const std::string_view rest = message.substr(i);
    const bool is_address = begins_word && rest.starts_with("0x");
    const bool is_thread = begins_word && rest.size() > 1 && rest[0] == 'T' && is_digit(rest[1]);
    if (!is_address && !is_thread) {
      text += message[i++];
      continue;
    }
    text += is_address ? "0x" : "T";
    for (i += is_address ? 2 : 1;
         i < message.size() && (is_address ? is_hexadecimal(message[i]) : is_digit(message[i]));)
      ++i;
  }
  return text;
}

Failure failure_of(const Outcome& outcome, std::vector<std::uint64_t> places, bool goes_round) {
  Failure failure;
  failure.kind = outcome.kind;
  failure.goes_round = goes_round;
  // Of a property: which one, not with which values.
  if (outcome.kind == OutcomeKind::property && outcome.object != 0) {
    failure.object = outcome.object;
    return failure;
  }
  failure.number = outcome.number;
  const bool has_places =
      std::any_of(places.begin(), places.end(), [](std::uint64_t place) { return place != 0; });
  if (!is_told_by_places(failure) || !has_places) {
    failure.message = without_numbers_of_execution(outcome.message);
  }
  failure.places = std::move(places);
  std::sort(failure.places.begin(), failure.places.end());
  return failure;
}

}  // namespace ricercar::inline search
