#ifndef COUNTER_H
#define COUNTER_H

#ifdef __cplusplus
extern "C" {
#endif

/* Adds one; wrong if two threads do it at a time. */
void count_badly(int* counter);
/* Adds one. */
void count_well(int* counter);

#ifdef __cplusplus
}
#endif
#endif
