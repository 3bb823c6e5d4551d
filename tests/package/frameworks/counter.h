// Counts two, or loses a count.
#pragma once

#include <atomic>
#include <thread>

inline int count_badly() {
  std::atomic<int> count{0};
  const auto add = [&] {
    const int before = count.load();
    count.store(before + 1);
  };
  std::thread other(add);
  add();
  other.join();
  return count.load();
}

inline int count_well() {
  std::atomic<int> count{0};
  std::thread other([&] { ++count; });
  ++count;
  other.join();
  return count.load();
}
