// Who wants to know what happens, for the report of a bug. Called in the order of happening.
#pragma once

#include "model/machine_story.h"

namespace ricercar::machines {

class Story {
 public:
  // The texts of the act last as long as the call.
  virtual void tell(const RecordedAct& act) = 0;

 protected:
  ~Story() = default;
};

}  // namespace ricercar::machines
