// A reader-writer lock whose words are accessed with relaxed order, so that nothing but its
// annotations says that it orders anything: those of ThreadSanitizer, or the dynamic
// ones; the search chooses. A thread writes plain data and has the lock for reading only: readers
// do not exclude each other. The repaired twin is ok/annotated_lock.c.
#include <assert.h>
#include <pthread.h>
#include <ricercar/abi.h>
#include <sanitizer/tsan_interface.h>
#include <sched.h>
#include <stddef.h>

void AnnotateRWLockCreate(const char* file, int line, const volatile void* lock);
void AnnotateRWLockDestroy(const char* file, int line, const volatile void* lock);
void AnnotateRWLockAcquired(const char* file, int line, const volatile void* lock, long is_write);
void AnnotateRWLockReleased(const char* file, int line, const volatile void* lock, long is_write);

static int users;  // readers, or -1: a writer
static int is_dynamic;
static int data;

static int try_to_change(int from, int to) {
  return __atomic_compare_exchange_n(&users, &from, to, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void take(int is_write) {
  const unsigned flags = is_write ? 0 : __tsan_mutex_read_lock;
  if (!is_dynamic) __tsan_mutex_pre_lock(&users, flags);
  for (;;) {
    const int seen = is_write ? 0 : __atomic_load_n(&users, __ATOMIC_RELAXED);
    if (seen >= 0 && try_to_change(seen, is_write ? -1 : seen + 1)) break;
    sched_yield();
  }
  if (is_dynamic) AnnotateRWLockAcquired(__FILE__, __LINE__, &users, is_write);
  if (!is_dynamic) __tsan_mutex_post_lock(&users, flags, 0);
}

static void give_back(int is_write) {
  const unsigned flags = is_write ? 0 : __tsan_mutex_read_lock;
  if (is_dynamic) AnnotateRWLockReleased(__FILE__, __LINE__, &users, is_write);
  if (!is_dynamic) __tsan_mutex_pre_unlock(&users, flags);
  if (is_write) {
    __atomic_store_n(&users, 0, __ATOMIC_RELAXED);
  } else {
    __atomic_fetch_sub(&users, 1, __ATOMIC_RELAXED);
  }
  if (!is_dynamic) __tsan_mutex_post_unlock(&users, flags);
}

static void* add(void* unused) {
  take(0);
  ++data;  // <- bug: reads, writes
  give_back(0);
  return unused;
}

int main(void) {
  is_dynamic = (int)ricercar_choose(2);
  if (is_dynamic) AnnotateRWLockCreate(__FILE__, __LINE__, &users);
  if (!is_dynamic) __tsan_mutex_create(&users, 0);
  pthread_t writer;
  pthread_create(&writer, NULL, add, NULL);
  take(0);
  const int seen = data;  // <- bug: reads
  give_back(0);
  pthread_join(writer, NULL);
  assert(seen == 0 || seen == 1);
  if (is_dynamic) AnnotateRWLockDestroy(__FILE__, __LINE__, &users);
  if (!is_dynamic) __tsan_mutex_destroy(&users, 0);
  return 0;
}
