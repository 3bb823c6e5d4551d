// Tests of Catch2, version 2 or 3, whose body is searched: each runs under many schedules.
//
//   RICERCAR_TEST("the queue loses nothing", "[queue]") { /* threads, REQUIRE(...) */ }
//   RICERCAR_TEST("the queue is fair", "[queue]", .strategy = "pct:depth=3") { ... }
//
// Behind the tags come options as in ricercar::Options. Assertions of Catch2 in the body, in any
// thread, end the execution and are reported with its schedule, also where ricercar::check is
// called by hand; Catch2 counts one failure for each. Of version 2, include this before or in place
// of <catch2/catch.hpp>: it needs CATCH_CONFIG_EXTERNAL_INTERFACES.
#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_case_info.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/reporters/catch_reporter_event_listener.hpp>
#include <catch2/reporters/catch_reporter_registrars.hpp>
#elif defined(TWOBLUECUBES_SINGLE_INCLUDE_CATCH_HPP_INCLUDED) && \
    !defined(CATCH_CONFIG_EXTERNAL_INTERFACES)
#error \
    "include <ricercar/catch2.h> before <catch2/catch.hpp>, or define CATCH_CONFIG_EXTERNAL_INTERFACES"
#else
#ifndef CATCH_CONFIG_EXTERNAL_INTERFACES
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#endif
#include <catch2/catch.hpp>
#endif

#include <ricercar/ricercar.h>

#include <iostream>
#include <string>

#define RICERCAR_TEST(name, ...)                                          \
  RICERCAR_CATCH_TEST(INTERNAL_CATCH_UNIQUE_NAME(ricercar_body_), name,   \
                      "" __VA_OPT__(RICERCAR_CATCH_FIRST(__VA_ARGS__, )), \
                      __VA_OPT__(RICERCAR_CATCH_REST(__VA_ARGS__)))

#define RICERCAR_CATCH_FIRST(first, ...) first
#define RICERCAR_CATCH_REST(first, ...) __VA_ARGS__
#ifdef CATCH_CONFIG_PREFIX_ALL
#define RICERCAR_CATCH_TEST_CASE CATCH_TEST_CASE
#define RICERCAR_CATCH_FAIL_CHECK CATCH_FAIL_CHECK
#else
#define RICERCAR_CATCH_FAIL_CHECK FAIL_CHECK
#define RICERCAR_CATCH_TEST_CASE TEST_CASE
#endif
#define RICERCAR_CATCH_TEST(body, name, tags, ...)                                    \
  static void body();                                                                 \
  RICERCAR_CATCH_TEST_CASE(name, tags) {                                              \
    const std::string found =                                                         \
        ::ricercar::detail::search_in_catch2(::ricercar::Options{__VA_ARGS__}, body); \
    if (!found.empty()) RICERCAR_CATCH_FAIL_CHECK(found);                             \
  }                                                                                   \
  static void body()

namespace ricercar {
namespace detail {

#if __has_include(<catch2/catch_test_macros.hpp>)
using Catch2ListenerBase = Catch::EventListenerBase;
using Catch2Ended = void;
#else
using Catch2ListenerBase = Catch::TestEventListenerBase;
using Catch2Ended = bool;
#endif

class Catch2Listener : public Catch2ListenerBase {
 public:
  using Catch2ListenerBase::Catch2ListenerBase;

  void testCaseStarting(const Catch::TestCaseInfo& test) override {
    may_fail_ = test.okToFail();
    ricercar_begin_test(test.name.c_str());
    Catch2ListenerBase::testCaseStarting(test);
  }
  Catch2Ended assertionEnded(const Catch::AssertionStats& stats) override {
    const Catch::AssertionResult& result = stats.assertionResult;
    const bool is_expected = may_fail_ && ricercar_whole_program() != 0;
    if (!result.isOk() && !is_expected && ricercar_active() != 0) {
      const auto& place = result.getSourceInfo();
      ricercar_fail_at(description_of(result).c_str(), place.file,
                       static_cast<unsigned>(place.line), nullptr);
    }
    return Catch2ListenerBase::assertionEnded(stats);
  }

 private:
  static std::string description_of(const Catch::AssertionResult& result) {
    std::string text = result.getExpressionInMacro();
    if (result.hasExpandedExpression()) text += ", with " + result.getExpandedExpression();
    if (result.hasMessage()) text += std::string("; ") + std::string(result.getMessage());
    return text;
  }

  bool may_fail_ = false;
};

// Prints what was found, whose lines Catch2 would break, and returns it in brief; empty: no bug.
inline std::string search_in_catch2(const Options& options, void (*body)()) {
  const Result result = check(options, body);
  if (result) return {};
  std::cout << result << std::flush;
  return result.bugs.empty() ? result.error : result.bugs[0].message;
}

}  // namespace detail
}  // namespace ricercar

using RicercarCatch2Listener = ricercar::detail::Catch2Listener;
CATCH_REGISTER_LISTENER(RicercarCatch2Listener)
