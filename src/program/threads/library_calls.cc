#include <errno.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "threads/execution.h"
#include "threads/instructions.h"
#include "threads/real.h"
#include "threads/signal_frame.h"
#include "threads/system_call.h"

namespace ricercar::inline threads {
namespace {

// `syscall`, and the comparison with -ENOSYS that follows wherever libgomp calls futex: an old
// kernel may not know private ones.
constexpr unsigned char call_and_comparison[] = {0x0f, 0x05, 0x48, 0x83, 0xf8, 0xda};
constexpr unsigned char fault[] = {0x0f, 0x0b};  // ud2
constexpr int call_length = sizeof fault;
constexpr std::uint32_t max_places = 256;

std::uint64_t places[max_places];
std::uint32_t place_count = 0;

bool is_place(std::uint64_t address) {
  return std::find(places, places + place_count, address) != places + place_count;
}

void replace_in(unsigned char* code, std::size_t size) {
  unsigned char* end = code + size;
  for (unsigned char* at = code; place_count < max_places; at += call_length) {
    at = std::search(at, end, std::begin(call_and_comparison), std::end(call_and_comparison));
    if (at == end) return;
    std::memcpy(at, fault, sizeof fault);
    places[place_count++] = reinterpret_cast<std::uint64_t>(at);
  }
}

int look_at_library(dl_phdr_info* library, std::size_t, void*) {
  if (std::strstr(library->dlpi_name, "/libgomp.so") == nullptr) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    auto* code = reinterpret_cast<unsigned char*>(library->dlpi_addr + segment.p_vaddr);
    const auto page = reinterpret_cast<std::uint64_t>(code) & ~std::uint64_t{4095};
    const long size =
        static_cast<long>(reinterpret_cast<std::uint64_t>(code) + segment.p_memsz - page);
    system_call(SYS_mprotect, static_cast<long>(page), size, PROT_READ | PROT_WRITE | PROT_EXEC);
    replace_in(code, segment.p_memsz);
    system_call(SYS_mprotect, static_cast<long>(page), size, PROT_READ | PROT_EXEC);
  }
  return 0;
}

SystemCall call_in(const greg_t* registers) {
  return {registers[REG_RAX],
          {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
           registers[REG_R8], registers[REG_R9]}};
}

long make_call(const SystemCall& call) {
  return system_call(call.number, call.arguments[0], call.arguments[1], call.arguments[2],
                     call.arguments[3], call.arguments[4], call.arguments[5]);
}

void finish_call(greg_t* registers, long result) {
  registers[REG_RAX] = result;
  registers[REG_RIP] += call_length;
}

// In the place of the call, on the stack of the task.
void controlled_call(int, siginfo_t*, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const SystemCall call = call_in(registers);
  const int error_before = errno;
  long result;
  if (!futex_call(call, static_cast<std::uint64_t>(registers[REG_RIP]), result)) {
    result = make_call(call);
  } else if (result == -1) {
    result = -errno;
  }
  errno = error_before;
  finish_call(registers, result);
}

}  // namespace

void replace_library_calls() {
  if (place_count == 0) dl_iterate_phdr(look_at_library, nullptr);
}

bool answer_library_call(int signal, const siginfo_t& details, void* context) {
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  if (!is_place(static_cast<std::uint64_t>(registers[REG_RIP]))) return false;
  if (execution.active() && controlled()) {
    continue_in(controlled_call, signal, details, context);
  } else {
    finish_call(registers, make_call(call_in(registers)));
  }
  return true;
}

}  // namespace ricercar::inline threads
