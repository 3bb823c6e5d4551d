// Where the other parts of Ricercar are, seen from the tool itself: in a build tree or after an
// installation.
#pragma once

#include <string>

namespace ricercar::inline cli {

struct InstallPaths {
  std::string tool;     // this executable
  std::string library;  // folder of libricercar.so
  std::string include;  // folder of ricercar/ricercar.h
};

// Throws UsageError if the runtime library is not where it should be.
InstallPaths find_install_paths();

}  // namespace ricercar::inline cli
