// A thread waits for a flag under a mutex, and allocates from a pool of its own meanwhile.
#include <apr_general.h>
#include <apr_pools.h>
#include <apr_thread_cond.h>
#include <apr_thread_mutex.h>
#include <apr_thread_proc.h>
#include <stdlib.h>

static apr_thread_mutex_t* mutex;
static apr_thread_cond_t* condition;
static int ready;

static void* APR_THREAD_FUNC work(apr_thread_t* thread, void* unused) {
  apr_pool_t* pool;
  if (apr_pool_create(&pool, apr_thread_pool_get(thread)) != APR_SUCCESS) abort();
  apr_palloc(pool, 100);
  apr_thread_mutex_lock(mutex);
  while (!ready) apr_thread_cond_wait(condition, mutex);
  apr_thread_mutex_unlock(mutex);
  apr_pool_destroy(pool);
  apr_thread_exit(thread, APR_SUCCESS);
  return unused;
}

int main() {
  apr_pool_t* pool;
  apr_thread_t* thread;
  apr_status_t status;
  if (apr_initialize() != APR_SUCCESS || apr_pool_create(&pool, NULL) != APR_SUCCESS) abort();
  apr_thread_mutex_create(&mutex, APR_THREAD_MUTEX_DEFAULT, pool);
  apr_thread_cond_create(&condition, pool);
  if (apr_thread_create(&thread, NULL, work, NULL, pool) != APR_SUCCESS) abort();
  apr_thread_mutex_lock(mutex);
  ready = 1;
  apr_thread_cond_signal(condition);
  apr_thread_mutex_unlock(mutex);
  if (apr_thread_join(&status, thread) != APR_SUCCESS || status != APR_SUCCESS) abort();
  apr_terminate();
}
