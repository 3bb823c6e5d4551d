#include "threads/real.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace ricercar::inline threads {

#define RICERCAR_DEFINE(name) decltype(&::name) real_##name = nullptr;
RICERCAR_REAL_FUNCTIONS(RICERCAR_DEFINE)
#undef RICERCAR_DEFINE

void* next_definition(const char* name) { return dlsym(RTLD_NEXT, name); }

void resolve_real_functions() {
#define RICERCAR_RESOLVE(name) \
  real_##name = reinterpret_cast<decltype(real_##name)>(next_definition(#name));
  RICERCAR_REAL_FUNCTIONS(RICERCAR_RESOLVE)
#undef RICERCAR_RESOLVE
}

void announce_threads() {
  if (auto* alone = static_cast<char*>(dlsym(RTLD_DEFAULT, "__libc_single_threaded"))) *alone = 0;
}

void use_handler_stack() {
  constexpr std::size_t size = 256 << 10;
  stack_t stack{};
  stack.ss_sp = reinterpret_cast<void*>(
      system_call(SYS_mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  stack.ss_size = size;
  system_call(SYS_sigaltstack, reinterpret_cast<long>(&stack));
}

void raw_sigaction(int signal, const struct sigaction& action) {
  static const auto real = reinterpret_cast<decltype(&::sigaction)>(next_definition("sigaction"));
  real(signal, &action, nullptr);
}

}  // namespace ricercar::inline threads
