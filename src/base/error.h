// A user's mistake: bad options, bad files, a program that cannot be controlled. The message says
// what happened, the likely cause and what to type next. Leads to exit status 2.
#pragma once

#include <stdexcept>
#include <string>

namespace ricercar {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace ricercar
