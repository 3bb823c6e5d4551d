// Two-phase commit in one process: `ricercar run ./checked` searches it, `./checked` runs it on
// threads. With the argument `hasty` one participant has a bug.
#include <string_view>

#include "protocol.h"

using namespace two_phase_commit;

int main(int argument_count, char** arguments) {
  const bool hasty = argument_count > 1 && std::string_view(arguments[1]) == "hasty";
  return ricercar::run_machines(argument_count, arguments, [hasty](ricercar::System& system) {
    std::vector<MachineId> participants = {system.create(Participant{{}, hasty}),
                                           system.create(Participant{})};
    const MachineId coordinator = system.create(Coordinator{{}, participants});
    system.create(Client{{}, coordinator, 1});
    system.monitor(Atomicity{{}, 2});
  });
}
