// The way to machines of other nodes.
#pragma once

#include <ricercar/detail/machine_type.h>

namespace ricercar::deploy {

// A MachineId has the number of its node in the highest bits, and the machine's number on that node
// in the lower ones. The highest node number is left out: MachineId::nobody has it.
inline constexpr int machine_bits = 24;
inline constexpr std::uint32_t most_nodes = 255;

constexpr std::uint32_t node_of(MachineId machine) { return machine.number() >> machine_bits; }
constexpr MachineId machine_on(std::uint32_t node, std::uint32_t number) {
  return MachineId(node << machine_bits | number);
}

class Gateway {
 public:
  // Called by any thread. `time` is the sender's (CausalClock). Throws an exception with a
  // sentence for the user, for an event that cannot be sent.
  virtual void send(MachineId from, MachineId to, const detail::Event& event,
                    std::uint64_t time) = 0;

 protected:
  ~Gateway() = default;
};

}  // namespace ricercar::deploy
