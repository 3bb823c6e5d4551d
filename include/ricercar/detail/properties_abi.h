/* What a file of properties and the coordinator of a cluster say to each other. Both are compiled
 * on their own, so there is nothing of C++ in it. Programs use <ricercar/properties.h>. */
#ifndef RICERCAR_PROPERTIES_ABI_H
#define RICERCAR_PROPERTIES_ABI_H

#include <ricercar/abi.h>

enum { RICERCAR_PROPERTIES_VERSION = 1 };

/* A client's call, as it was reported. */
struct ricercar_operation {
  const char* client;
  const char* name;
  const struct ricercar_value* arguments;
  const struct ricercar_value* results;
  uint32_t argument_count, result_count;
  uint64_t invoked, responded; /* places in one order; responded: 0, if it has not come back */
};

/* The cluster as it is now. */
struct ricercar_state {
  void* host;
  uint32_t (*node_count)(void* host);
  const char* (*node_name)(void* host, uint32_t number);
  /* NULL: it has none of that name; `is_before`: that of the check before this one. */
  const struct ricercar_value* (*value)(void* host, const char* node, const char* name,
                                        int is_before);
  /* How many messages; NULL stands for every node. */
  uint64_t (*sent)(void* host, const char* from, const char* to);
  uint64_t (*delivered)(void* host, const char* from, const char* to);
  /* The history of operations, in the order of their calls; how many. */
  uint32_t (*operations)(void* host, const struct ricercar_operation** list);
  /* A variable of the node's program, by its debug information. NULL: the node does not run, or, if
   * `error` is set, there is no such variable. Good until the next call. */
  const struct ricercar_value* (*global)(void* host, const char* node, const char* name,
                                         const char** error);
};

enum { RICERCAR_ALWAYS, RICERCAR_EVENTUALLY, RICERCAR_UNTIL, RICERCAR_LEADS_TO, RICERCAR_HISTORY };
enum { RICERCAR_FALSE, RICERCAR_TRUE, RICERCAR_NOT_THERE, RICERCAR_THREW };

struct ricercar_property {
  const char* name;
  uint32_t kind;
  void* self;
  /* Asks its predicate number `which`. RICERCAR_THREW, and RICERCAR_FALSE of a history, come with a
   * message. */
  uint32_t (*check)(void* self, uint32_t which, const struct ricercar_state* state, char* message,
                    uint32_t room);
};

/* What a file of properties offers; NULL for a version that it does not know. */
/* NOLINTNEXTLINE(modernize-use-using): C */
typedef const struct ricercar_property* (*ricercar_property_list)(uint32_t version,
                                                                  uint32_t* count);

#endif
