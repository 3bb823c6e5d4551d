// Two threads make a date each, in one place. The repaired twin is ok/shared_date.c.
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static struct tm shared;

static void* make_date(void* unused) {
  const time_t moment = 86400;
  localtime_r(&moment, &shared);  // <- bug: writes
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, make_date, NULL);
  make_date(NULL);
  pthread_join(other, NULL);
  return 0;
}
