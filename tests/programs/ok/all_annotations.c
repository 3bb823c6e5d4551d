// Calls every function of ThreadSanitizer's interface and every dynamic annotation once, in an
// order that makes sense, from a thread that runs beside another. Correct: they change nothing
// here.
#include <assert.h>
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <stddef.h>

typedef const char* file;
typedef const volatile void* object;

void AnnotateHappensBefore(file, int, object);
void AnnotateHappensAfter(file, int, object);
void AnnotateCondVarSignal(file, int, object);
void AnnotateCondVarSignalAll(file, int, object);
void AnnotateCondVarWait(file, int, object, object);
void AnnotatePCQCreate(file, int, object);
void AnnotatePCQDestroy(file, int, object);
void AnnotatePCQPut(file, int, object);
void AnnotatePCQGet(file, int, object);
void AnnotateIgnoreReadsBegin(file, int);
void AnnotateIgnoreReadsEnd(file, int);
void AnnotateIgnoreWritesBegin(file, int);
void AnnotateIgnoreWritesEnd(file, int);
void AnnotateIgnoreSyncBegin(file, int);
void AnnotateIgnoreSyncEnd(file, int);
void AnnotateEnableRaceDetection(file, int, int);
void AnnotateBenignRace(file, int, object, const char*);
void AnnotateBenignRaceSized(file, int, object, unsigned long, const char*);
void AnnotateExpectRace(file, int, object, const char*);
void AnnotateFlushExpectedRaces(file, int);
void AnnotateRWLockCreate(file, int, object);
void AnnotateRWLockCreateStatic(file, int, object);
void AnnotateRWLockDestroy(file, int, object);
void AnnotateRWLockAcquired(file, int, object, long);
void AnnotateRWLockReleased(file, int, object, long);
void AnnotateNewMemory(file, int, object, unsigned long);
void AnnotateThreadName(file, int, const char*);
void AnnotateFlushState(file, int);
void AnnotateNoOp(file, int, object);
void AnnotateTraceMemory(file, int, object);
void AnnotateMutexIsUsedAsCondVar(file, int, object);
void AnnotateMutexIsNotPHB(file, int, object);
void AnnotatePublishMemoryRange(file, int, object, unsigned long);
void AnnotateUnpublishMemoryRange(file, int, object, unsigned long);
void AnnotateMemoryIsInitialized(file, int, object, unsigned long);
void AnnotateMemoryIsUninitialized(file, int, object, unsigned long);
void WTFAnnotateHappensBefore(file, int, object);
void WTFAnnotateHappensAfter(file, int, object);
void WTFAnnotateBenignRaceSized(file, int, object, unsigned long, const char*);
int RunningOnValgrind(void);
double ValgrindSlowdown(void);

static int value;
static int lock;

#define HERE __FILE__, __LINE__

static void tell_order(void) {
  AnnotateHappensBefore(HERE, &value);
  AnnotateHappensAfter(HERE, &value);
  WTFAnnotateHappensBefore(HERE, &value);
  WTFAnnotateHappensAfter(HERE, &value);
  AnnotateCondVarSignal(HERE, &value);
  AnnotateCondVarSignalAll(HERE, &value);
  AnnotateCondVarWait(HERE, &value, &lock);
  AnnotatePCQCreate(HERE, &value);
  AnnotatePCQPut(HERE, &value);
  AnnotatePCQGet(HERE, &value);
  AnnotatePCQDestroy(HERE, &value);
  __tsan_release(&value);
  __tsan_acquire(&value);
}

static void tell_ignored(void) {
  AnnotateIgnoreReadsBegin(HERE);
  AnnotateIgnoreWritesBegin(HERE);
  AnnotateIgnoreSyncBegin(HERE);
  AnnotateIgnoreSyncEnd(HERE);
  AnnotateIgnoreWritesEnd(HERE);
  AnnotateIgnoreReadsEnd(HERE);
  AnnotateEnableRaceDetection(HERE, 0);
  AnnotateEnableRaceDetection(HERE, 1);
  AnnotateBenignRace(HERE, &value, "none");
  AnnotateBenignRaceSized(HERE, &value, sizeof value, "none");
  WTFAnnotateBenignRaceSized(HERE, &value, sizeof value, "none");
  AnnotateExpectRace(HERE, &value, "none");
  AnnotateFlushExpectedRaces(HERE);
}

static void tell_locks(void) {
  AnnotateRWLockCreate(HERE, &lock);
  AnnotateRWLockCreateStatic(HERE, &lock);
  AnnotateRWLockAcquired(HERE, &lock, 1);
  AnnotateRWLockReleased(HERE, &lock, 1);
  AnnotateRWLockDestroy(HERE, &lock);
  __tsan_mutex_create(&lock, __tsan_mutex_not_static);
  __tsan_mutex_pre_lock(&lock, __tsan_mutex_try_lock);
  __tsan_mutex_post_lock(&lock, __tsan_mutex_try_lock | __tsan_mutex_try_lock_failed, 0);
  __tsan_mutex_pre_lock(&lock, 0);
  __tsan_mutex_pre_divert(&lock, 0);
  __tsan_mutex_post_divert(&lock, 0);
  __tsan_mutex_post_lock(&lock, 0, 0);
  __tsan_mutex_pre_signal(&lock, 0);
  __tsan_mutex_post_signal(&lock, 0);
  __tsan_mutex_pre_unlock(&lock, 0);
  __tsan_mutex_post_unlock(&lock, 0);
  __tsan_mutex_destroy(&lock, __tsan_mutex_not_static);
}

static void tell_memory(void) {
  static int own;
  AnnotateNewMemory(HERE, &own, sizeof own);
  AnnotateTraceMemory(HERE, &own);
  AnnotatePublishMemoryRange(HERE, &own, sizeof own);
  AnnotateUnpublishMemoryRange(HERE, &own, sizeof own);
  AnnotateMemoryIsInitialized(HERE, &own, sizeof own);
  AnnotateMemoryIsUninitialized(HERE, &own, sizeof own);
  void* tag = __tsan_external_register_tag("object");
  __tsan_external_register_header(tag, "race on an object");
  __tsan_external_assign_tag(&own, tag);
  __tsan_external_read(&own, __builtin_return_address(0), tag);
  __tsan_external_write(&own, __builtin_return_address(0), tag);
}

static void tell_the_rest(void) {
  AnnotateThreadName(HERE, "teller");
  AnnotateFlushState(HERE);
  AnnotateNoOp(HERE, &value);
  AnnotateMutexIsUsedAsCondVar(HERE, &lock);
  AnnotateMutexIsNotPHB(HERE, &lock);
  void* fiber = __tsan_create_fiber(0);
  void* own = __tsan_get_current_fiber();
  __tsan_set_fiber_name(fiber, "second");
  __tsan_switch_to_fiber(fiber, 0);
  __tsan_switch_to_fiber(own, __tsan_switch_to_fiber_no_sync);
  __tsan_destroy_fiber(fiber);
  __tsan_flush_memory();
  assert(RunningOnValgrind() == 0);
  assert(ValgrindSlowdown() >= 1);
}

static void* tell(void* unused) {
  tell_order();
  tell_ignored();
  tell_locks();
  tell_memory();
  tell_the_rest();
  return unused;
}

int main(void) {
  pthread_t teller;
  pthread_create(&teller, NULL, tell, NULL);
  const int seen = value;
  pthread_join(teller, NULL);
  assert(seen == 0);
  return 0;
}
