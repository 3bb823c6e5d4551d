// Linked into every C++ program under control: failures of GoogleTest's assertions become bugs of
// the execution. The linker puts these functions in front of GoogleTest's (--wrap); in a program
// without it nobody calls them. Nothing of GoogleTest's headers is used, so any version will do:
// the functions below have had these names and arguments since 1.5.
#include <string>

#include "ricercar/abi.h"
#include "ricercar/outside.h"

namespace testing {
class Message;
}

// Functions of GoogleTest's: null without it, or in a version that has other ones.
std::string text_of_message(const testing::Message*) __asm__(
    "_ZNK7testing7Message9GetStringB5cxx11Ev") __attribute__((weak));
bool has_fatal_failure() __asm__("_ZN7testing4Test15HasFatalFailureEv") __attribute__((weak));
bool has_nonfatal_failure() __asm__("_ZN7testing4Test18HasNonfatalFailureEv") __attribute__((weak));

namespace {

constexpr int non_fatal_failure = 1;
constexpr int fatal_failure = 2;

// What the last AssertHelper was made of. It is used in the same statement, by the same thread.
struct Assertion {
  int type;
  const char* file;
  int line;
  const char* message;

  bool has_failed() const { return type == non_fatal_failure || type == fatal_failure; }
};
thread_local Assertion assertion;

std::string full_message(const Assertion& failed, const testing::Message* of_user) {
  std::string text = failed.message;
  const std::string more = text_of_message != nullptr ? text_of_message(of_user) : "";
  return more.empty() ? text : text + "\n" + more;
}

bool test_has_failed() {
  return (has_fatal_failure != nullptr && has_fatal_failure()) ||
         (has_nonfatal_failure != nullptr && has_nonfatal_failure());
}

void fail(const Assertion& failed, const testing::Message* of_user, const void* site) {
  ricercar_fail_at(full_message(failed, of_user).c_str(), failed.file,
                   static_cast<unsigned>(failed.line), site);
}

}  // namespace

#define RICERCAR_GTEST_CONSTRUCTOR \
  _ZN7testing8internal12AssertHelperC1ENS_14TestPartResult4TypeEPKciS5_
#define RICERCAR_GTEST_ASSIGNMENT _ZNK7testing8internal12AssertHelperaSERKNS_7MessageE
#define RICERCAR_JOINED(one, other) one##other
#define RICERCAR_NAME(prefix, name) RICERCAR_JOINED(prefix, name)

extern "C" {

void RICERCAR_NAME(__real_, RICERCAR_GTEST_CONSTRUCTOR)(void* self, int type, const char* file,
                                                        int line, const char* message)
    __attribute__((weak));
void RICERCAR_NAME(__real_, RICERCAR_GTEST_ASSIGNMENT)(const void* self,
                                                       const testing::Message* message)
    __attribute__((weak));

void RICERCAR_NAME(__wrap_, RICERCAR_GTEST_CONSTRUCTOR)(void* self, int type, const char* file,
                                                        int line, const char* message) {
  assertion = {type, file, line, message};
  RICERCAR_NAME(__real_, RICERCAR_GTEST_CONSTRUCTOR)(self, type, file, line, message);
}

// In a whole program GoogleTest decides what is a failure (a test may expect one, by gtest-spi.h)
// and prints it. Inside of a check it must not learn of it: the test that called the check goes on.
void RICERCAR_NAME(__wrap_, RICERCAR_GTEST_ASSIGNMENT)(const void* self,
                                                       const testing::Message* message) {
  const Assertion made = assertion;
  const void* site = __builtin_return_address(0);
  const bool counts = made.has_failed() && ricercar_active() != 0;
  if (counts && ricercar_whole_program() == 0) fail(made, message, site);
  RICERCAR_NAME(__real_, RICERCAR_GTEST_ASSIGNMENT)(self, message);
  if (counts && test_has_failed()) fail(made, message, site);
}

}  // extern "C"
