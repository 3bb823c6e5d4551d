/* The C interface of the runtime library. Programs use <ricercar/ricercar.h>; C programs may use
 * the functions at the end. */
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
  const char* fail_on; /* lists of kinds of bugs, "data-race,leak"; NULL and "": not given */
  const char* ignore;
  const char* name;    /* of the test; NULL and "": as ricercar_begin_test says */
  uint8_t no_minimise; /* a bug stays as it was found */
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

/* The same for an assertion of a test framework at this place of the source. `site`: an address in
 * the code that asserts, or NULL. The message may have several lines. Outside of a search nothing
 * happens: the framework knows what to do. */
void ricercar_fail_at(const char* message, const char* file, unsigned line, const void* site)
    __attribute__((weak));

/* The checks from now on belong to this test, until the next call. NULL: to none. */
void ricercar_begin_test(const char* name) __attribute__((weak));

/* An exception that left a thread or the body of a check. */
void ricercar_uncaught_exception(const char* type, const char* text);

/* The program called std::terminate without an exception. */
void ricercar_terminated(void);

/* 1 inside of a controlled execution. */
int ricercar_active(void);

/* 1 inside of a controlled execution of a whole program, from its main function on. */
int ricercar_whole_program(void) __attribute__((weak));

/* Tells the delaying explorer of a search something; nothing happens outside of one. */
void ricercar_explorer_hint(uint64_t what, uint64_t value);

/* Races on these bytes are known and harmless: they are not reported. Called outside of a search,
 * as by a static constructor, it holds for all executions. */
void ricercar_benign_race(const volatile void* address, uint64_t size);

/* --- Priorities of one's own: see <ricercar/priority.h> --- */

struct ricercar_step {
  uint64_t site;   /* the address behind the call that did it */
  uint64_t object; /* the address of what it was done to, or 0 */
  uint64_t value;  /* read, written or returned */
  uint16_t task;   /* from 0, the main thread, in the order of creation */
  uint8_t kind;    /* see ricercar_operation_name */
  uint8_t flags;
  uint8_t size; /* of the memory from `object` on */
  uint8_t reserved;
  uint16_t options; /* how many tasks could have gone on; 0 and 1: there was no choice */
};

/* How much the search should hurry to let `task` run in place of trace[step]: 0 comes first, 65535
 * last. It must not throw: ricercar_priority_failed ends the search with a message. */
/* NOLINTNEXTLINE(modernize-use-using): C */
typedef uint32_t (*ricercar_priority)(void* context, const struct ricercar_step* trace,
                                      uint64_t length, uint64_t step, uint32_t task);

/* From then on `--strategy bestfirst:priority=NAME` means this function. To be called by static
 * constructors, or before ricercar_check. */
void ricercar_register_priority(const char* name, ricercar_priority function, void* context);
void ricercar_priority_failed(const char* message);

/* "lock", "atomic_load", ...; "" for what is no kind. */
const char* ricercar_operation_name(uint8_t kind);
/* 0: touches no object, 1: reads, 2: writes (a lock is written). */
int ricercar_operation_access(uint8_t kind);

/* --- Delaying explorers of one's own: see <ricercar/explorer.h> --- */

struct ricercar_explorer_step {
  uint8_t kind; /* 0 ran, 1 sent, 2 blocked, 3 hint */
  uint32_t task, target;
  uint64_t what, value;
};

/* The enabled tasks are bits, 64 in a word. None of the functions may throw:
 * ricercar_explorer_failed ends the search with a message. */
struct ricercar_explorer_functions {
  void* (*make)(void);
  void* (*copy)(const void* explorer);
  void (*destroy)(void* explorer);
  uint32_t (*next)(const void* explorer, const uint64_t* enabled, uint32_t words);
  void (*delay)(void* explorer, const uint64_t* enabled, uint32_t words);
  void (*started)(void* explorer, uint32_t task);
  void (*finished)(void* explorer, uint32_t task);
  void (*step)(void* explorer, const struct ricercar_explorer_step* step);
  uint64_t (*identity)(const void* explorer);
  uint32_t (*value)(const void* explorer, uint32_t task, uint32_t count);
};

/* From then on `--strategy ses:explorer=NAME` means this one. To be called by static constructors,
 * or before ricercar_check. */
void ricercar_register_explorer(const char* name,
                                const struct ricercar_explorer_functions* functions);
void ricercar_explorer_failed(const char* message);

/* --- What a node of a cluster reports: see <ricercar/log.h> --- */

enum { RICERCAR_INTEGER, RICERCAR_UNSIGNED, RICERCAR_NUMBER, RICERCAR_BOOLEAN, RICERCAR_TEXT };

struct ricercar_value {
  uint32_t kind;
  uint32_t size; /* of a text, in bytes */
  union {
    int64_t integer;
    uint64_t natural; /* RICERCAR_UNSIGNED, and RICERCAR_BOOLEAN: 0 or 1 */
    double number;
    const char* text;
  } as;
};

enum { RICERCAR_LOG, RICERCAR_FORGET, RICERCAR_INVOKE, RICERCAR_RESPOND };

/* `names` has a name for each value, with commas between them. All of it is copied. */
void ricercar_report(uint32_t what, const char* id, const char* names,
                     const struct ricercar_value* values, uint32_t count) __attribute__((weak));

#ifdef __cplusplus
}
#endif
#endif
