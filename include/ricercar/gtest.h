// Tests of GoogleTest whose body is searched: each runs under many schedules.
//
//   RICERCAR_TEST(Queue, LosesNothing) { /* threads, EXPECT_EQ(...) */ }
//   RICERCAR_TEST(Queue, IsFair, .strategy = "pct:depth=3", .executions = 1000) { ... }
//   RICERCAR_TEST_F(QueueTest, LosesNothing) { ... }  // the fixture is made anew for each
//   execution
//
// The options are those of ricercar::Options. Assertions of GoogleTest in the body, in any thread,
// end the execution and are reported with its schedule.
#pragma once

#include <gtest/gtest.h>
#include <ricercar/detail/gtest_names.h>
#include <ricercar/ricercar.h>

#define RICERCAR_TEST(suite, name, ...)                                                            \
  static void ricercar_body_of_##suite##_##name();                                                 \
  TEST(suite, name) {                                                                              \
    ::ricercar::detail::gtest_expects_no_bug(__FILE__, __LINE__, ::ricercar::Options{__VA_ARGS__}, \
                                             ricercar_body_of_##suite##_##name);                   \
  }                                                                                                \
  static void ricercar_body_of_##suite##_##name()

#define RICERCAR_TEST_F(fixture, name, ...)                                                        \
  struct ricercar_test_of_##fixture##_##name : fixture {                                           \
    void TestBody() override;                                                                      \
    static void run() {                                                                            \
      ricercar_test_of_##fixture##_##name test;                                                    \
      test.SetUp();                                                                                \
      test.TestBody();                                                                             \
      test.TearDown();                                                                             \
    }                                                                                              \
  };                                                                                               \
  TEST(fixture, name) {                                                                            \
    ::ricercar::detail::gtest_expects_no_bug(__FILE__, __LINE__, ::ricercar::Options{__VA_ARGS__}, \
                                             ricercar_test_of_##fixture##_##name::run);            \
  }                                                                                                \
  void ricercar_test_of_##fixture##_##name::TestBody()

namespace ricercar {
namespace detail {

inline void gtest_expects_no_bug(const char* file, int line, const Options& options,
                                 void (*body)()) {
  const Result result = check(options, body);
  if (!result) ADD_FAILURE_AT(file, line) << result;
}

}  // namespace detail
}  // namespace ricercar
