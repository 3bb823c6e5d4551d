#ifndef TALLY_H
#define TALLY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Adds one; wrong if two threads do it at a time. */
void tally_badly(void);
/* Adds one. */
void tally_well(void);
int tally_start(void);
int tally_result(void);

void journal_add(int step);
int journal_sum(void);
void parts_lock(void);
void parts_unlock(void);

#ifdef __cplusplus
}
#endif
#endif
