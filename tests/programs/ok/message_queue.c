// A message queue between two threads, with time limits: nobody loses a message, and who waits for
// one that does not come gives up.
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <time.h>

static mqd_t queue;

static void *sender(void *unused) {
  (void)unused;
  const struct timespec later = {time(NULL) + 3600, 0};
  assert(mq_timedsend(queue, "a", 1, 0, &later) == 0);
  assert(mq_send(queue, "b", 1, 0) == 0);
  return NULL;
}

int main(void) {
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 1};
  mq_unlink("/ricercar_queue_of_test");
  queue = mq_open("/ricercar_queue_of_test", O_RDWR | O_CREAT, 0600, &size);
  assert(queue >= 0);
  mq_unlink("/ricercar_queue_of_test");
  pthread_t thread;
  pthread_create(&thread, NULL, sender, NULL);
  char byte = 0;
  assert(mq_receive(queue, &byte, 1, NULL) == 1 && byte == 'a');
  assert(mq_receive(queue, &byte, 1, NULL) == 1 && byte == 'b');
  pthread_join(thread, NULL);
  const struct timespec soon = {time(NULL) + 1, 0};
  assert(mq_timedreceive(queue, &byte, 1, NULL, &soon) == -1 && errno == ETIMEDOUT);
  assert(mq_close(queue) == 0);
  return 0;
}
