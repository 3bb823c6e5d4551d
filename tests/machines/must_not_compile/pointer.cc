// says: Ricercar: a pointer in a machine or an event
#include <ricercar/machine.h>

struct Points {
  int* to = nullptr;
};
ricercar::detail::Event event() { return ricercar::detail::make_event(Points{}); }
