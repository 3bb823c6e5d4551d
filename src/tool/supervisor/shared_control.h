// The supervisor's side of the mapping that control.h describes. Only one can exist at a time,
// because the address is fixed. Not thread-safe.
#pragma once

#include "search/control.h"

namespace ricercar::inline supervisor {

class SharedControl {
 public:
  SharedControl();  // throws UsageError if this machine does not give the address range
  ~SharedControl();
  SharedControl(const SharedControl&) = delete;
  SharedControl& operator=(const SharedControl&) = delete;

  Control& control() const { return *control_; }
  Control* operator->() const { return control_; }
  int descriptor() const { return descriptor_; }

  // Another one may take the address for a while; what this one holds stays as it is.
  void detach();
  void attach();

 private:
  int descriptor_;
  Control* control_;
};

}  // namespace ricercar::inline supervisor
