// Objects that the kernel knows by numbers which differ from run to run: files, pipes, streams. In
// a trace they are named by addresses here, given in the order in which an execution uses them.
#pragma once

#include <cstdint>

namespace ricercar::inline threads {

class NumberedObjects {
 public:
  void begin_execution() { count_ = 0; }

  // Those that come too late share the last address.
  const void* of(std::uint64_t one, std::uint64_t two) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (names_[i].one == one && names_[i].two == two) return &places_[i];
    }
    if (count_ == most) return rest();
    names_[count_] = {one, two};
    return &places_[count_++];
  }
  // The next one of this name is another one. What is gone keeps its address.
  void forget(std::uint64_t one, std::uint64_t two) {
    for (std::uint32_t i = 0; i < count_; ++i) {
      if (names_[i].one == one && names_[i].two == two) names_[i] = nobody;
    }
  }
  const void* rest() const { return &places_[most]; }

 private:
  static constexpr std::uint32_t most = 256;

  struct Name {
    std::uint64_t one, two;
  };
  static constexpr Name nobody = {~std::uint64_t{0}, ~std::uint64_t{0}};

  std::uint32_t count_ = 0;
  Name names_[most] = {};
  char places_[most + 1] = {};  // only their addresses count
};

}  // namespace ricercar::inline threads
