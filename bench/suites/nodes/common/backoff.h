// How long to wait before the next attempt: longer each time, up to a limit, so that a server that
// comes back is not overrun.
#pragma once

#include <algorithm>
#include <chrono>

namespace suite {

class Backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  Backoff(milliseconds first, milliseconds most) : first_(first), most_(most), next_(first) {}

  milliseconds next() {
    const milliseconds now = next_;
    next_ = std::min(2 * next_, most_);
    return now;
  }
  void reset() { next_ = first_; }

 private:
  const milliseconds first_;
  const milliseconds most_;
  milliseconds next_;
};

}  // namespace suite
