// Ricercar: systematic concurrency testing for C and C++.
//
//   auto result = ricercar::check({.strategy = "random"}, [] { /* threads, locks, asserts */ });
//   EXPECT_TRUE(result) << result;
//
// `check` runs the function again and again in this process, each time under another schedule. The
// code under test must be compiled under control (`ricercar c++`, or the CMake target
// Ricercar::controlled). Call it from one thread at a time.
//
// Assertions of a test framework inside of the function end the execution as bugs: those of
// GoogleTest always; those of Catch2 and doctest with <ricercar/catch2.h> or <ricercar/doctest.h>,
// which also have the macro RICERCAR_TEST, as <ricercar/gtest.h> does.
//
// The environment variable RICERCAR_OPTIONS="--time 60 --strategy pct:depth=3" and arguments of the
// program such as --ricercar-time=60 stand above the options in the code.
#pragma once

#include <ricercar/abi.h>
#include <ricercar/log.h>

#include <cstdint>
#include <exception>
#include <ostream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace ricercar {

struct Options {
  std::string strategy = {};         // a specification such as "pct:depth=3"; empty: the default
  std::uint64_t executions = 10000;  // 0: no limit
  double seconds = 0;                // 0: no limit
  std::uint64_t seed = 1;
  std::uint64_t steps = 100000;      // per execution
  std::string points = {};           // sync | atomic | racy | shared | memory; empty: as is best
  bool races = true;                 // report data races
  bool spurious_wakeups = false;     // condition variables may wake without a signal
  bool weak_failures = false;        // weak compare-exchange may fail without a reason
  bool keep_going = false;           // do not stop at the first bug
  std::string out = "ricercar-out";  // where schedules of bugs go
  std::string fail_on = {};  // only these kinds of bugs count, as "deadlock,crash"; empty: all
  std::string ignore = {};   // these do not: they are counted in `coverage`, and gone on from
  std::string name = {};     // of the test, for the names of schedules; empty: its framework's
  bool minimise = true;      // look for the shortest run of a bug: the body runs for that, too
};

struct Bug {
  std::string kind;
  std::string message;
  std::uint64_t execution = 0;
  std::string schedule;  // the file; `ricercar replay FILE` runs it again
  std::string report;    // the explanation, as `ricercar show FILE` prints it
};

struct Result {
  std::uint64_t executions = 0;
  std::uint64_t steps = 0;
  double seconds = 0;
  bool complete = false;
  std::string coverage;
  std::string error;  // a mistake in the options or in the set-up: nothing was shown
  std::vector<Bug> bugs;

  // True only if something was explored and no bug was found.
  explicit operator bool() const { return error.empty() && bugs.empty() && executions > 0; }
};

std::ostream& operator<<(std::ostream& out, const Result& result);

// One of 0 .. n-1, chosen by the search. Outside of a search it is 0.
inline std::uint32_t choose(std::uint32_t n) { return ricercar_choose(n); }

// Races on this object are known and harmless, and are not reported: a counter for statistics, say.
template <typename Object>
void benign_race(const volatile Object& object) {
  ricercar_benign_race(&object, sizeof object);
}

// Ends the execution with the bug `assertion` and this message, unless the condition holds.
inline void require(bool condition, const char* message = "requirement failed") {
  if (!condition) ricercar_fail(message);
}

}  // namespace ricercar

#include <ricercar/detail/check.h>
#include <ricercar/detail/test_frameworks.h>
