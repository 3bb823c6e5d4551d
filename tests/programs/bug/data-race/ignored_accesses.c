// Two threads count in a plain variable, behind annotations that have ended already: from then on
// accesses count again. The repaired twin is ok/ignored_accesses.c.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateIgnoreWritesBegin(const char* file, int line);
void AnnotateIgnoreWritesEnd(const char* file, int line);

static int count;

static void* add(void* unused) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
  AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  ++count;  // <- bug: reads, writes
  return unused;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, add, NULL);
  add(NULL);
  pthread_join(other, NULL);
  assert(count == 1 || count == 2);
  return 0;
}
