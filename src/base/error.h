// Errors that are reported to the user, never our own fault (base/check.h) and never a bug in the
// program under test (model/outcome.h). The message says what happened, the likely cause and what
// to type next.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace ricercar::inline base {

// As messages show names, paths and words of the command line.
inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

// A user's mistake: bad options, bad files, a program that cannot be controlled. Leads to exit
// status 2.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The same decisions led to another execution than before: something that is not under control
// decides too. A search that goes on would promise what it did not cover.
class Nondeterminism : public std::runtime_error {
 public:
  // `expected` and `found`: how many options there were at `step` before, and are now; 0 for a step
  // at which nothing is to be decided.
  Nondeterminism(std::uint64_t step_number, std::uint32_t options_expected,
                 std::uint32_t options_found)
      : std::runtime_error(message(step_number, options_expected, options_found)),
        step(step_number),
        expected(options_expected),
        found(options_found) {}

  const std::uint64_t step;
  const std::uint32_t expected;
  const std::uint32_t found;

 private:
  static std::string message(std::uint64_t step, std::uint32_t expected, std::uint32_t found) {
    const std::string difference =
        expected == found
            ? "a point with " + std::to_string(found) +
                  " options comes, which came after another number of steps before"
            : "there were " + std::to_string(expected) + " options to choose from, now there " +
                  (found == 0 ? "is nothing to decide" : "are " + std::to_string(found));
    return "the program did not behave as before under the same schedule: at step " +
           std::to_string(step) + " " + difference +
           ". Something outside Ricercar's control has an influence: a value kept from an "
           "earlier execution, an address, a random number, the time, a file. Remove it, or use a "
           "strategy that does not repeat schedules: --strategy random";
  }
};

}  // namespace ricercar::inline base
