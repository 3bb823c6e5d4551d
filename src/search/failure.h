// Which failure an execution has shown, so that it is known again in another execution of the same
// program: never by chance another bug that looks alike. Plain values; safe to use from any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/outcome.h"

namespace ricercar::inline search {

// The kind, the places and the message, without what differs between two executions that fail in
// the same way: addresses, and the numbers of threads.
struct Failure {
  OutcomeKind kind = OutcomeKind::ok;
  std::uint64_t object = 0;  // of a property: which one
  int number = 0;            // the signal of a crash, the status of an exit
  bool goes_round = false;   // steps at its end come again and again
  std::string message;
  std::vector<std::uint64_t> places;

  bool operator==(const Failure&) const = default;
};

// `places`: where it happened, as the world knows it.
Failure failure_of(const Outcome& outcome, std::vector<std::uint64_t> places,
                   bool goes_round = false);

// "T12 reads 0x7f00a8" -> "T reads 0x"
std::string without_numbers_of_execution(std::string_view message);

}  // namespace ricercar::inline search
