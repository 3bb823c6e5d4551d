#include "threads/intercept/system_call.h"
namespace ricercar {
__attribute__((weak)) void random_begin_execution(std::uint64_t) {}
__attribute__((weak)) bool controlled_system_call(const SystemCall&, std::uint64_t, long&) {
  return false;
}
}  // namespace ricercar
