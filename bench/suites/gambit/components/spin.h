// Waiting without blocking. A condition that never comes true is a livelock, not a deadlock.
#pragma once

#include <thread>

namespace gambit {

template <typename Condition>
void spin_until(const Condition& condition) {
  while (!condition()) std::this_thread::yield();
}

}  // namespace gambit
