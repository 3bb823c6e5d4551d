#include "tally.h"

void tally_badly(void) { journal_add(TALLY_STEP); }

void tally_well(void) {
  parts_lock();
  journal_add(TALLY_STEP);
  parts_unlock();
}

int tally_result(void) { return tally_start() + journal_sum(); }
