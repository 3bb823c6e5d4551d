// Random small systems of machines: one class whose handlers follow a script. The same seed gives
// the same system everywhere.
#pragma once

#include <ricercar/machine.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::test {

struct Command {
  enum Kind {
    send,
    choose,  // and send the answer to the next machine
    receive,
    start_timer,
    stop_timer,
    create,
    announce,
    crash,
    restart,
    change_state,
    raise,
    halt,
    sealed_sends,
    count,
  } kind = send;
  int target = 0;  // a machine
  int event = 0;   // 0 or 1
};
using Script = std::vector<Command>;

// What the machine with this role does at its start, for each event, and when its timer fires.
struct Role {
  Script start, on_event[2], on_timer;
};

struct RandomSystem {
  std::vector<Role> roles;  // the last one is that of machines that others create
  int machines = 0;
  std::string to_text() const;
};

// Commands of these kinds are left out.
RandomSystem make_random_system(std::uint64_t seed, const std::vector<Command::Kind>& without);

// The system must outlive what is set up.
SetUp set_up_of(const RandomSystem& system);

}  // namespace ricercar::test
