// Hooks: std::exception_ptr counts its references with atomics inside of the C++ library, where no
// instrumentation sees them. Without the order that they make, the last owner's release of an
// exception would look like a race with the others' use of it.
#include "threads/hook.h"

namespace ricercar::inline hooks {
namespace {

// Both directions: whoever lets go passes on what it did, whoever comes later knows it.
void order_through(void* pointer) {
  const std::uint64_t object = *static_cast<std::uint64_t*>(pointer);
  RaceDetector* races = controlled() ? execution.races() : nullptr;
  if (races == nullptr || object == 0) return;
  races->release(execution.self().id, object);
  races->acquire(execution.self().id, object);
}

using Member = void (*)(void*);

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_HOOK void _ZNSt15__exception_ptr13exception_ptr9_M_addrefEv(void* pointer) {
  static const auto real = reinterpret_cast<Member>(
      next_definition("_ZNSt15__exception_ptr13exception_ptr9_M_addrefEv"));
  order_through(pointer);
  real(pointer);
}
RICERCAR_HOOK void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void* pointer) {
  static const auto real = reinterpret_cast<Member>(
      next_definition("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv"));
  order_through(pointer);
  real(pointer);
}
