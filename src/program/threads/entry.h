// Entry stubs. A hook for a read-only operation needs the program's registers as they were at the
// call (see threads/spin.h), so its exported symbol is a stub that stores them and jumps on: the
// body finds its arguments and its return address as if it had been called directly.
#pragma once

#define RICERCAR_HOOK extern "C" __attribute__((visibility("default")))
#define RICERCAR_BODY extern "C" __attribute__((visibility("hidden"), used))

// RICERCAR_ENTRY(name): exports `name`, whose body is `ricercar_body_<name>`.
#define RICERCAR_ENTRY(name)                            \
  asm(".text\n"                                         \
      ".p2align 4\n"                                    \
      ".globl " #name                                   \
      "\n"                                              \
      ".type " #name ", @function\n" #name              \
      ":\n"                                             \
      "  mov %rbx, ricercar_entry_registers(%rip)\n"    \
      "  mov %rbp, ricercar_entry_registers+8(%rip)\n"  \
      "  mov %r12, ricercar_entry_registers+16(%rip)\n" \
      "  mov %r13, ricercar_entry_registers+24(%rip)\n" \
      "  mov %r14, ricercar_entry_registers+32(%rip)\n" \
      "  mov %r15, ricercar_entry_registers+40(%rip)\n" \
      "  mov %rsp, ricercar_entry_registers+48(%rip)\n" \
      "  jmp ricercar_body_" #name                      \
      "\n"                                              \
      ".size " #name ", .-" #name "\n")
