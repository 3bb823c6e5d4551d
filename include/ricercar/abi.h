/* The C interface of the runtime library. Programs use <ricercar/ricercar.h>; C programs may use
 * the three functions at the end. */
#ifndef RICERCAR_ABI_H
#define RICERCAR_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ricercar_options {
  uint32_t size; /* sizeof(struct ricercar_options): lets the library grow */
  uint8_t races, spurious_wakeups, weak_failures, keep_going;
  uint64_t executions, seed, steps;
  double seconds;
  const char* strategy;
  const char* points;
  const char* out;
};

struct ricercar_bug {
  const char* kind;
  const char* message;
  const char* schedule;
  const char* report;
  uint64_t execution;
};

struct ricercar_result {
  uint64_t executions, steps;
  double seconds;
  uint8_t complete;
  const char* coverage;
  const char* error; /* NULL: none */
  const struct ricercar_bug* bugs;
  uint64_t bug_count;
};

/* Runs body(context) under many schedules. The strings of the result live until the next call. */
void ricercar_check(const struct ricercar_options* options, void (*body)(void*), void* context,
                    struct ricercar_result* result);

/* One of 0 .. n-1, chosen by the search; 0 outside of a search. */
uint32_t ricercar_choose(uint32_t n);

/* Ends the running execution with the bug `assertion`. Outside of a search it aborts. */
void ricercar_fail(const char* message);

/* An exception that left a thread or the body of a check. */
void ricercar_uncaught_exception(const char* type, const char* text);

/* The program called std::terminate without an exception. */
void ricercar_terminated(void);

/* 1 inside of a controlled execution. */
int ricercar_active(void);

#ifdef __cplusplus
}
#endif
#endif
