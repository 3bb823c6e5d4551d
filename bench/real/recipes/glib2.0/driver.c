// Two tasks go through a pool with one thread and come back over a queue.
#include <glib.h>
#include <stdlib.h>

static void work(gpointer task, gpointer queue) { g_async_queue_push(queue, task); }

int main() {
  GAsyncQueue* queue = g_async_queue_new();
  GThreadPool* pool = g_thread_pool_new(work, queue, 1, TRUE, NULL);
  g_thread_pool_push(pool, GINT_TO_POINTER(1), NULL);
  g_thread_pool_push(pool, GINT_TO_POINTER(2), NULL);
  int sum = GPOINTER_TO_INT(g_async_queue_pop(queue));
  sum += GPOINTER_TO_INT(g_async_queue_pop(queue));
  if (sum != 3) abort();
  g_thread_pool_free(pool, FALSE, TRUE);
  g_async_queue_unref(queue);
}
