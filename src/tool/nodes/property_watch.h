// A property is the user's code in the process of the coordinator: if it crashes or does not come
// back, the search ends with an error that names it. One at a time.
#pragma once

#include "search/control.h"

namespace ricercar::inline nodes {

// From now on until the end of the process.
void watch_properties(Control& control, double hang_seconds);

// While it lives, this property is asked.
class AskedProperty {
 public:
  explicit AskedProperty(const char* name);
  ~AskedProperty();
  AskedProperty(const AskedProperty&) = delete;
  AskedProperty& operator=(const AskedProperty&) = delete;
};

}  // namespace ricercar::inline nodes
