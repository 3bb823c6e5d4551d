// Tests of doctest whose body is searched: each runs under many schedules.
//
//   RICERCAR_TEST("the queue loses nothing") { /* threads, CHECK(...) */ }
//   RICERCAR_TEST("the queue is fair", .strategy = "pct:depth=3") { ... }
//
// The options are those of ricercar::Options. Assertions of doctest in the body, in any thread, end
// the execution and are reported with its schedule, also where ricercar::check is called by hand.
// Compile doctest's implementation (DOCTEST_CONFIG_IMPLEMENT) in a file of its own that is not
// under control, and include <ricercar/outside.h> there: its counters would be searched with your
// code.
#pragma once

#include <doctest/doctest.h>
#include <ricercar/ricercar.h>

#include <string>

#define RICERCAR_TEST(...) RICERCAR_DOCTEST_TEST(DOCTEST_ANONYMOUS(ricercar_body_), __VA_ARGS__)

#define RICERCAR_DOCTEST_TEST(body, name, ...)                                          \
  static void body();                                                                   \
  DOCTEST_TEST_CASE(name) {                                                             \
    ::ricercar::detail::doctest_expects_no_bug(__FILE__, __LINE__,                      \
                                               ::ricercar::Options{__VA_ARGS__}, body); \
  }                                                                                     \
  static void body()

namespace ricercar {
namespace detail {

class DoctestListener : public doctest::IReporter {
 public:
  explicit DoctestListener(const doctest::ContextOptions&) {}

  void test_case_start(const doctest::TestCaseData& test) override {
    may_fail_ = test.m_may_fail || test.m_should_fail || test.m_expected_failures != 0;
    ricercar_begin_test(test.m_name);
  }
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    ricercar_begin_test(nullptr);
  }
  void log_assert(const doctest::AssertData& data) override {
    if (!data.m_failed || !counts()) return;
    const std::string what =
        std::string(doctest::assertString(data.m_at)) + "( " + data.m_expr + " )";
    const std::string values = data.m_threw ? data.m_exception.c_str() : data.m_decomp.c_str();
    ricercar_fail_at((what + (values.empty() ? "" : ", with " + values)).c_str(), data.m_file,
                     static_cast<unsigned>(data.m_line), nullptr);
  }
  void log_message(const doctest::MessageData& data) override {
    if ((data.m_severity & doctest::assertType::is_warn) != 0 || !counts()) return;
    ricercar_fail_at(data.m_string.c_str(), data.m_file, static_cast<unsigned>(data.m_line),
                     nullptr);
  }

  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}

 private:
  bool counts() const {
    return ricercar_active() != 0 && !(may_fail_ && ricercar_whole_program() != 0);
  }

  bool may_fail_ = false;
};

inline void doctest_expects_no_bug(const char* file, int line, const Options& options,
                                   void (*body)()) {
  const Result result = check(options, body);
  if (!result) DOCTEST_ADD_FAIL_CHECK_AT(file, line, result);
}

}  // namespace detail
}  // namespace ricercar

DOCTEST_REGISTER_LISTENER("ricercar", 0, ricercar::detail::DoctestListener);
