// The processor's time stamp counter in the process of the coordinator. Nodes have it trapped, so
// that their time is virtual. A processor that goes on with a process which has it trapped after
// one which has not writes a control register, and that takes microseconds where the machine is a
// virtual one: more than all the rest of a hand-over. So the coordinator has it trapped, too, as
// long as nodes run. Who reads it nevertheless, as the clock of the C library does, gets it, and
// the trap is gone until the next execution.
#pragma once

namespace ricercar::inline nodes {

// As long as it lives the counter is trapped, or is not. Processes inherit that.
class TimeStampTrap {
 public:
  explicit TimeStampTrap(bool traps);
  ~TimeStampTrap();
  TimeStampTrap(const TimeStampTrap&) = delete;
  TimeStampTrap& operator=(const TimeStampTrap&) = delete;

 private:
  const bool before_;
};

}  // namespace ricercar::inline nodes
