// says: Ricercar: an event must be copyable
#include <ricercar/machine.h>

#include <memory>

struct Owns {
  std::unique_ptr<int> value;
};
const auto& type = ricercar::detail::event_type<Owns>();
