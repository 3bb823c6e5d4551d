// Tells Ricercar which test of GoogleTest is running.
#pragma once

#include <gtest/gtest.h>
#include <ricercar/abi.h>

#include <string>

namespace ricercar {
namespace detail {

class GtestNames : public testing::EmptyTestEventListener {
  void OnTestStart(const testing::TestInfo& test) override {
    const std::string name = std::string(test.test_suite_name()) + "." + test.name();
    if (ricercar_begin_test != nullptr) ricercar_begin_test(name.c_str());
  }
  void OnTestEnd(const testing::TestInfo&) override {
    if (ricercar_begin_test != nullptr) ricercar_begin_test(nullptr);
  }
};

inline bool follow_gtest() {
  testing::UnitTest::GetInstance()->listeners().Append(new GtestNames);
  return true;
}
inline const bool follows_gtest = follow_gtest();

}  // namespace detail
}  // namespace ricercar
