/* For a file that is not under test and is not compiled under control on purpose: a model that
 * checks results, a test framework, generated tables. Include it, or give the compiler
 * `-include ricercar/outside.h`, and Ricercar does not count the file as code that it cannot see.
 *
 * It is a promise: no data of this file is shared between threads that run under control. */
#ifndef RICERCAR_OUTSIDE_H
#define RICERCAR_OUTSIDE_H

/* The mark is found in the symbol table. */
__attribute__((used)) static const char ricercar_code_outside __asm__("ricercar_code_outside") = 0;

#endif
