// How the process of a program is started, for a search and for a replay.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "base/error.h"
#include "cli/program.h"
#include "supervisor/launch.h"

namespace ricercar::inline cli {

// Beyond the time that the worker's own watchdog needs to name a hang.
inline constexpr double grace_beyond_hang_seconds = 2;

class NullDevice {
 public:
  NullDevice() : descriptor_(::open("/dev/null", O_WRONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      throw UsageError(std::string("cannot open /dev/null: ") + std::strerror(errno));
    }
  }
  ~NullDevice() { ::close(descriptor_); }
  NullDevice(const NullDevice&) = delete;
  NullDevice& operator=(const NullDevice&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// `node_output`: a folder for what each node of a cluster writes; empty: none.
Launch launch_of(const Program& program, const std::string& node_output = "");

}  // namespace ricercar::inline cli
