// Each thread makes a date of its own and writes it as a text.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

static void* make_date(void* unused) {
  const time_t moment = 86400;
  struct tm own;
  char text[32];
  gmtime_r(&moment, &own);
  assert(strftime(text, sizeof text, "%Y-%m-%d", &own) == 10);
  assert(strcmp(text, "1970-01-02") == 0);
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, make_date, NULL);
  make_date(NULL);
  pthread_join(other, NULL);
  return 0;
}
