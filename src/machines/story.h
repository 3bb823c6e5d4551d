// Who wants to know what happens, in words: the report of a bug. Called in the order of happening.
#pragma once

#include <cstdint>
#include <string>

namespace ricercar::machines {

class Story {
 public:
  virtual void tell(std::uint32_t machine, const std::string& what) = 0;

 protected:
  ~Story() = default;
};

}  // namespace ricercar::machines
