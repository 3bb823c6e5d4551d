#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Adds one and tells how many there were; wrong if two threads do it at a time. */
int tally(void);

#ifdef __cplusplus
}
#endif
#endif
