// says: Ricercar: a machine is derived from ricercar::Machine
#include <ricercar/machine.h>

struct Plain {
  struct Only;
  static void define(ricercar::Definition<Plain>& machine) { machine.state<Only>(); }
};
void set_up(ricercar::System& system) { system.create(Plain{}); }
