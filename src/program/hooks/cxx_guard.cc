// Hooks: the guards of static local variables. Outside of a search the C++ library's own functions
// are called: they work for threads that are not under control too. (A file of its own, because
// headers of the C++ library declare these functions with other types.)
#include <cstdint>

#include "threads/hook.h"
#include "threads/once.h"

namespace ricercar::inline hooks {
namespace {

template <typename Function>
Function* next_guard(const char* name) {
  return reinterpret_cast<Function*>(next_definition(name));
}

}  // namespace
}  // namespace ricercar::inline hooks

using namespace ricercar;

RICERCAR_BODY int ricercar_guard_acquire(std::uint64_t* guard) {
  if (controlled()) return guard_acquire(guard, RICERCAR_SITE());
  static auto* const real = next_guard<int(std::uint64_t*)>("__cxa_guard_acquire");
  return real(guard);
}
RICERCAR_BODY void ricercar_guard_release(std::uint64_t* guard) {
  if (controlled()) return guard_release(guard, RICERCAR_SITE());
  static auto* const real = next_guard<void(std::uint64_t*)>("__cxa_guard_release");
  real(guard);
}
RICERCAR_BODY void ricercar_guard_abort(std::uint64_t* guard) {
  if (controlled()) return guard_abort(guard, RICERCAR_SITE());
  static auto* const real = next_guard<void(std::uint64_t*)>("__cxa_guard_abort");
  real(guard);
}

asm(R"(
.text
.globl __cxa_guard_acquire
.type __cxa_guard_acquire, @function
__cxa_guard_acquire: jmp ricercar_guard_acquire
.globl __cxa_guard_release
.type __cxa_guard_release, @function
__cxa_guard_release: jmp ricercar_guard_release
.globl __cxa_guard_abort
.type __cxa_guard_abort, @function
__cxa_guard_abort: jmp ricercar_guard_abort
)");
