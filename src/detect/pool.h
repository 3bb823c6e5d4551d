// A pool of equal things that are handed out one by one and taken back all at once. Things keep
// their address and, from one use to the next, their contents: the taker resets them. Not
// thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace ricercar::inline detect {

template <typename T>
class Pool {
 public:
  T& take() {
    if (used_ / chunk_size == chunks_.size()) chunks_.push_back(std::make_unique<T[]>(chunk_size));
    T& taken = chunks_[used_ / chunk_size][used_ % chunk_size];
    ++used_;
    return taken;
  }

  void take_back_all() { used_ = 0; }

 private:
  static constexpr std::uint32_t chunk_size = 64;

  std::uint32_t used_ = 0;
  std::vector<std::unique_ptr<T[]>> chunks_;
};

}  // namespace ricercar::inline detect
