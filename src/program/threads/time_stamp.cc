#include <elf.h>
#include <linux/prctl.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <x86intrin.h>

#include <cstdint>

#include "threads/execution.h"
#include "threads/instructions.h"
#include "threads/processors.h"
#include "threads/real.h"
#include "threads/sleep.h"

namespace ricercar::inline threads {
namespace {

constexpr std::uint64_t end_of_user_addresses = std::uint64_t{1} << 47;

// How many bytes the instruction has; 0: it is another one.
int length_of(const unsigned char* code) {
  if (code[0] == 0x0f && code[1] == 0x31) return 2;                     // rdtsc
  if (code[0] == 0x0f && code[1] == 0x01 && code[2] == 0xf9) return 3;  // rdtscp
  return 0;
}

struct Range {
  std::uint64_t start, size;
};

// Where the kernel's functions for the time are.
Range find_kernel_code() {
  const std::uint64_t start = getauxval(AT_SYSINFO_EHDR);
  if (start == 0) return {0, 0};
  const auto* header = reinterpret_cast<const Elf64_Ehdr*>(start);
  const auto* segment = reinterpret_cast<const Elf64_Phdr*>(start + header->e_phoff);
  for (int i = 0; i < header->e_phnum; ++i) {
    if (segment[i].p_type == PT_LOAD) return {start, segment[i].p_memsz};
  }
  return {0, 0};
}

bool is_kernel_code(std::uint64_t address) {
  static const Range code = find_kernel_code();
  return address - code.start < code.size;
}

void set_trap(int mode) { system_call(SYS_prctl, PR_SET_TSC, mode); }

struct Answer {
  std::uint64_t count;
  unsigned processor;
};

Answer real_answer() {
  Answer answer;
  set_trap(PR_TSC_ENABLE);
  answer.count = __rdtscp(&answer.processor);
  set_trap(PR_TSC_SIGSEGV);
  return answer;
}

Answer answer_for(std::uint64_t instruction) {
  if (!execution.active() || !controlled() || is_kernel_code(instruction)) return real_answer();
  return {glance_at_clock(), static_cast<unsigned>(processor_of(execution.self()))};
}

}  // namespace

void trap_time_stamps() { set_trap(PR_TSC_SIGSEGV); }
void release_time_stamps() { set_trap(PR_TSC_ENABLE); }

bool answer_time_stamp(void* context) {
  constexpr int with_processor = 3;  // the length of rdtscp
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto instruction = static_cast<std::uint64_t>(registers[REG_RIP]);
  if (instruction >= end_of_user_addresses) return false;
  const int length = length_of(reinterpret_cast<const unsigned char*>(instruction));
  if (length == 0) return false;
  const Answer answer = answer_for(instruction);
  registers[REG_RAX] = static_cast<greg_t>(answer.count & 0xffffffff);
  registers[REG_RDX] = static_cast<greg_t>(answer.count >> 32);
  if (length == with_processor) registers[REG_RCX] = answer.processor;
  registers[REG_RIP] += length;
  return true;
}

}  // namespace ricercar::inline threads
