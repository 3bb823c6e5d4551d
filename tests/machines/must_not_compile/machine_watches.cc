// says: Ricercar: only a monitor watches events
#include <ricercar/machine.h>

struct Event {};
struct Curious : ricercar::Machine {
  struct Only;
  static void define(ricercar::Definition<Curious>& machine) {
    machine.state<Only>();
    machine.watch<Event>();
  }
};
void set_up(ricercar::System& system) { system.create(Curious{}); }
