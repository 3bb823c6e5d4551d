// Two threads put a node each into a wait-free queue; main takes both.
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <urcu/wfcqueue.h>

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;

static void* produce(void* unused) {
  struct cds_wfcq_node* node = malloc(sizeof(*node));
  cds_wfcq_node_init(node);
  cds_wfcq_enqueue(&head, &tail, node);
  return unused;
}

int main() {
  pthread_t threads[2];
  cds_wfcq_init(&head, &tail);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, produce, NULL);
  for (int taken = 0; taken < 2;) {
    struct cds_wfcq_node* node = cds_wfcq_dequeue_blocking(&head, &tail);
    if (node == NULL) {
      sched_yield();
    } else {
      free(node);
      ++taken;
    }
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  cds_wfcq_destroy(&head, &tail);
}
