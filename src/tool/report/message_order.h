// Which messages come in another order in two executions of machines or nodes. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/recording.h"
#include "report/symbols.h"

namespace ricercar::inline report {

// What somebody has received.
struct Receipt {
  std::uint32_t receiver = 0;
  std::string name;          // of the receiver
  std::string words;         // "handles Token{number = 2}"
  std::uint64_t number = 0;  // of the event
};

// In their order. Empty: it is a recording of threads.
std::vector<Receipt> receipts_in(const Recording& recording, Symbols& symbols);

// The first message of the failing execution in the place of which another one comes in the one
// that passes.
struct OtherOrder {
  std::string words;        // for people; empty: everybody receives the same as far as both go
  std::uint64_t event = 0;  // of the failing execution
};
OtherOrder other_order(const std::vector<Receipt>& failing, const std::vector<Receipt>& passing);

}  // namespace ricercar::inline report
