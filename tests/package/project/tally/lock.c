#include <pthread.h>

#include "tally.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void parts_lock(void) { pthread_mutex_lock(&mutex); }
void parts_unlock(void) { pthread_mutex_unlock(&mutex); }
