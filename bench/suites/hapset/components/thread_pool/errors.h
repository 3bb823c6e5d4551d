// What the pool throws.
#pragma once

#include <stdexcept>

namespace hapset::pool {

// A call that the state of the object does not allow.
class InvalidState : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// The wait took longer than the caller was ready to wait.
class TimedOut : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// So many tasks are pending that no more are accepted.
class TooManyPending : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The system has no more of something: threads, mostly.
class SystemFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace hapset::pool
