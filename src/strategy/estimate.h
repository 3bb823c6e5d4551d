// An estimate of how much there is to explore, for the progress line.
#pragma once

#include <cstdint>
#include <string>

namespace ricercar::inline strategy {

// `done` executions were the part `explored` of the whole; empty if that part is not known yet.
inline std::string estimate_text(std::uint64_t done, double explored, const std::string& what) {
  if (explored <= 0) return {};
  const double total = static_cast<double>(done) / explored + 0.5;
  if (total > 1e18) return "more than 10^18 " + what + " in all";
  return "about " + std::to_string(static_cast<std::uint64_t>(total)) + " " + what + " in all";
}

}  // namespace ricercar::inline strategy
