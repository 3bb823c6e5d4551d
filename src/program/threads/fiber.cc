#include "threads/fiber.h"

#include <asm/prctl.h>
#include <link.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "base/check.h"
#include "base/search_heap.h"
#include "threads/memory/external_state.h"
#include "threads/memory/program_memory.h"
#include "threads/memory/runtime_allocation.h"
#include "threads/memory/snapshot.h"
#include "threads/real.h"

// Saves what a call preserves. `ret` goes to the place after the call of the switch, or to the
// entry of a new fiber. The floating-point control words are left alone: see docs/limitations.md.
asm(R"(
.text
.globl ricercar_switch_stack
.hidden ricercar_switch_stack
.type ricercar_switch_stack, @function
ricercar_switch_stack:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
.size ricercar_switch_stack, .-ricercar_switch_stack

.globl ricercar_fiber_entry
.hidden ricercar_fiber_entry
.type ricercar_fiber_entry, @function
ricercar_fiber_entry:
  .cfi_startproc
  .cfi_undefined rip
  call *%rbx
  ud2
  .cfi_endproc
.size ricercar_fiber_entry, .-ricercar_fiber_entry
)");

extern "C" void ricercar_fiber_entry();

namespace ricercar::inline threads {

__thread bool controlled_flag __attribute__((tls_model("initial-exec"))) = false;
bool thread_pointer_by_instruction = false;

namespace {

// Ordinary stacks lie close to each other, which makes switches cheap; large ones have a region of
// their own.
struct StackRegion {
  std::uint64_t start, spacing;
  std::uint64_t base(std::uint32_t slot) const { return start + slot * spacing; }
};
constexpr StackRegion ordinary_stacks = {0x300000000000, 64 << 20};
constexpr StackRegion large_stacks = {0x320000000000, 1 << 30};
constexpr std::size_t largest_ordinary_stack = 60 << 20;
constexpr std::uint64_t lenders_address = 0x310000000000;
constexpr std::uint64_t lender_spacing = 16 << 20;
constexpr std::size_t guard_size = 64 << 10;

std::size_t tls_size = 0;  // bytes of static TLS below the thread pointer
bool lenders_take_program_memory = false;
bool lenders_are_ready = false;

int find_lowest_tls(dl_phdr_info* info, std::size_t, void* lowest) {
  auto& low = *static_cast<std::uint64_t*>(lowest);
  const auto data = reinterpret_cast<std::uint64_t>(info->dlpi_tls_data);
  if (data != 0 && data < low) low = data;
  return 0;
}

void measure_tls() {
  const std::uint64_t top = current_thread_pointer();
  std::uint64_t low = top;
  dl_iterate_phdr(find_lowest_tls, &low);
  tls_size = top - low;
}

char* map_fixed(std::uint64_t address, std::size_t size) {
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  const long got = system_call(SYS_mmap, static_cast<long>(address), static_cast<long>(size),
                               PROT_READ | PROT_WRITE, flags, -1, 0);
  RICERCAR_CHECK(static_cast<std::uint64_t>(got) == address);
  return reinterpret_cast<char*>(got);
}

void map_stack(Fiber& fiber, std::uint32_t slot, std::size_t size) {
  RICERCAR_CHECK(size <= max_stack_size);
  if (fiber.stack.low != nullptr) {
    system_call(SYS_munmap, as_argument(fiber.stack.low - guard_size),
                static_cast<long>(guard_size + fiber.stack.size));
  }
  const StackRegion& region = size <= largest_ordinary_stack ? ordinary_stacks : large_stacks;
  const std::uint64_t base = region.base(slot);
  char* mapped = map_fixed(base, guard_size + size);
  system_call(SYS_mprotect, reinterpret_cast<long>(mapped), guard_size, PROT_NONE);
  fiber.stack = {mapped + guard_size, size};
  fiber.used = base + guard_size + fiber.stack.size;
}

void futex(const std::atomic<std::uint32_t>* word, int operation, long value) {
  system_call(SYS_futex, reinterpret_cast<long>(word), operation, value);
}

struct Loan {
  std::uint64_t thread_pointer = 0;
  std::atomic<std::uint32_t> ready = 0;
};

void* lend(void* argument) {
  auto* loan = static_cast<Loan*>(argument);
  controlled_flag = true;
  // The kernel must not choose this thread for a signal to the process: a handler of the program
  // would run beside the scheduler.
  constexpr std::uint64_t all_signals = ~std::uint64_t{0};
  system_call(SYS_rt_sigprocmask, SIG_SETMASK, as_argument(&all_signals), 0, sizeof all_signals);
  loan->thread_pointer = current_thread_pointer();
  loan->ready.store(1);
  futex(&loan->ready, FUTEX_WAKE_PRIVATE, 1);
  const std::atomic<std::uint32_t> never = 0;
  for (;;) futex(&never, FUTEX_WAIT_PRIVATE, 0);
}

// The lender's own stack is at a fixed address too: its TLS block is at the top of it, and
// addresses of thread-local variables must not differ between runs.
void find_lender(Fiber& fiber, std::uint32_t slot) {
  const RuntimeAllocation allocation;
  const SnapshotPause pause;
  const OutOfControl runtime;
  if (lenders_take_program_memory && lenders_are_ready) {
    needs_fork("brings its own malloc, which has to serve new threads too");
  }
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  std::size_t size = 64 << 10;
  while (size < tls_size + (48 << 10)) size *= 2;
  RICERCAR_CHECK(size <= lender_spacing);
  char* stack = map_fixed(lenders_address + slot * lender_spacing, size);
  pthread_attr_setstack(&attributes, stack, size);
  Loan loan;
  pthread_t thread;
  const int error = real_pthread_create(&thread, &attributes, lend, &loan);
  RICERCAR_CHECK(error == 0);
  pthread_attr_destroy(&attributes);
  while (loan.ready.load() == 0) {
    futex(&loan.ready, FUTEX_WAIT_PRIVATE, 0);
  }
  fiber.lender = loan.thread_pointer;
  const ThreadDescriptorPart part = thread_descriptor_part();
  fiber.pristine = search_allocate_array<unsigned char>(tls_size + part.size);
  std::memcpy(fiber.pristine, reinterpret_cast<void*>(fiber.lender - tls_size), tls_size);
  std::memcpy(fiber.pristine + tls_size, reinterpret_cast<void*>(fiber.lender + part.offset),
              part.size);
}

// Thread-local variables, and what the C library keeps for a thread: as if it were a new one.
void renew_lender(const Fiber& fiber) {
  static const ThreadDescriptorPart part = thread_descriptor_part();
  std::memcpy(reinterpret_cast<void*>(fiber.lender - tls_size), fiber.pristine, tls_size);
  auto* descriptor = reinterpret_cast<unsigned char*>(fiber.lender + part.offset);
  const unsigned char* pristine = fiber.pristine + tls_size;
  const std::size_t behind = part.values_offset + part.values_size;
  std::memcpy(descriptor, pristine, part.values_offset);
  std::memcpy(descriptor + behind, pristine + behind, part.size - behind);
}

}  // namespace

std::uint64_t current_thread_pointer() {
  std::uint64_t value;
  asm volatile("mov %%fs:0, %0" : "=r"(value));
  return value;
}

void set_thread_pointer_slow(std::uint64_t value) {
  system_call(SYS_arch_prctl, ARCH_SET_FS, static_cast<long>(value));
}

void fibers_initialise() {
  constexpr unsigned long fsgsbase = 1 << 1;  // HWCAP2_FSGSBASE
  thread_pointer_by_instruction = (getauxval(AT_HWCAP2) & fsgsbase) != 0;
  measure_tls();
}

void lenders_use_program_malloc() { lenders_take_program_memory = true; }
void lenders_made() { lenders_are_ready = true; }

ThreadStorage storage_of(const Fiber& fiber) { return {fiber.lender - tls_size, tls_size}; }

int guard_page_owner(std::uint64_t address) {
  for (const StackRegion& region : {ordinary_stacks, large_stacks}) {
    const std::uint64_t offset = address - region.start;
    if (address < region.start || offset / region.spacing >= 1024) continue;
    return offset % region.spacing < guard_size ? static_cast<int>(offset / region.spacing) : -1;
  }
  return -1;
}

void prepare_fiber(Fiber& fiber, std::uint32_t slot, std::size_t stack_size, bool wants_lender) {
  if (fiber.stack.size < stack_size) map_stack(fiber, slot, stack_size);
  if (!wants_lender) return;
  if (fiber.lender == 0) {
    find_lender(fiber, slot);
  } else {
    renew_lender(fiber);
  }
  fiber.context.thread_pointer = fiber.lender;
}

void start_fiber(Fiber& fiber, void (*entry)()) {
  auto* top = reinterpret_cast<std::uint64_t*>(fiber.stack.low + fiber.stack.size);
  *--top = 0;  // keeps the stack aligned at the call in ricercar_fiber_entry
  *--top = 0;
  *--top = reinterpret_cast<std::uint64_t>(&ricercar_fiber_entry);
  *--top = 0;                                       // rbp
  *--top = reinterpret_cast<std::uint64_t>(entry);  // rbx
  for (int i = 0; i < 4; ++i) *--top = 0;           // r12 to r15
  fiber.context.stack_pointer = top;
}

}  // namespace ricercar::inline threads
