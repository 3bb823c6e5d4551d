// says: Ricercar: a type in a machine or an event cannot be hashed
#include <ricercar/machine.h>

class Secret {
 public:
  Secret() {}

 private:
  int value_ = 0;
};
struct Holds {
  Secret secret;
};
ricercar::detail::Event event() { return ricercar::detail::make_event(Holds{}); }
