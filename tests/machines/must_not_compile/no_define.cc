// says: Ricercar: a machine names its states in
#include <ricercar/machine.h>

struct Shapeless : ricercar::Machine {};
void set_up(ricercar::System& system) { system.create(Shapeless{}); }
